// Apiserver is a Kubernetes API server for custom resources and ConfigMaps, and its etcd, in one process on the
// loopback. It keeps its state in the folder that its argument names, writes `kubeconfig` there, says `ready` on standard
// output, and ends when its standard input does. Only the token in that kubeconfig is let in, and whom flags let in that
// follow the folder and a port: with these, a server that is started again is the same one.
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"
	"go.etcd.io/etcd/server/v3/embed"
	extensions "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	generated "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
	"k8s.io/apiserver/pkg/endpoints/openapi"
	genericserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

const patience = time.Minute

// storage is an etcd of one member, on a port of the loopback that is free.
func storage(folder string) (*embed.Etcd, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	config := embed.NewConfig()
	config.Dir = folder
	config.LogLevel = "error"
	config.UnsafeNoFsync = true
	config.EnableGRPCGateway = false
	loopback := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	config.ListenClientUrls, config.AdvertiseClientUrls = loopback, loopback
	config.ListenPeerUrls, config.AdvertisePeerUrls = loopback, loopback
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	started, err := embed.StartEtcd(config)
	if err != nil {
		return nil, err
	}
	select {
	case <-started.Server.ReadyNotify():
		return started, nil
	case <-time.After(patience):
		return nil, fmt.Errorf("etcd was not ready in %s", patience)
	}
}

// nowhere is a kubeconfig of an API server that does not exist: what delegates to one has to have one.
func nowhere(folder string) (string, error) {
	path := filepath.Join(folder, "nowhere")
	return path, clientcmd.WriteToFile(*kubeconfig(&rest.Config{Host: "http://127.0.0.1:1"}), path)
}

func kubeconfig(client *rest.Config) *api.Config {
	config := api.NewConfig()
	config.Clusters["test"] = &api.Cluster{
		Server:                   client.Host,
		CertificateAuthorityData: client.CAData,
		TLSServerName:            client.ServerName,
	}
	config.AuthInfos["test"] = &api.AuthInfo{Token: client.BearerToken}
	config.Contexts["test"] = &api.Context{Cluster: "test", AuthInfo: "test", Namespace: "default"}
	config.CurrentContext = "test"
	return config
}

// configure makes the options of a server that has no other API server behind or before it.
func configure(folder, etcd, port string, more []string) (*options.CustomResourceDefinitionsServerOptions, error) {
	elsewhere, err := nowhere(folder)
	if err != nil {
		return nil, err
	}
	made := options.NewCustomResourceDefinitionsServerOptions(os.Stderr, os.Stderr)
	flags := pflag.NewFlagSet("apiserver", pflag.ContinueOnError)
	made.AddFlags(flags)
	err = flags.Parse(append([]string{
		"--etcd-servers=" + etcd,
		"--cert-dir=" + folder,
		"--authentication-skip-lookup",
		"--authentication-kubeconfig=" + elsewhere,
		"--authorization-kubeconfig=" + elsewhere,
		"--kubeconfig=" + elsewhere,
		"--enable-priority-and-fairness=false",
		"--disable-admission-plugins=NamespaceLifecycle,MutatingAdmissionWebhook,ValidatingAdmissionWebhook," +
			"ValidatingAdmissionPolicy,MutatingAdmissionPolicy",
	}, more...))
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		return nil, err
	}
	serving := made.RecommendedOptions.SecureServing
	serving.Listener, serving.BindPort = listener, listener.Addr().(*net.TCPAddr).Port
	serving.ExternalAddress = net.IPv4(127, 0, 0, 1)
	if err := made.ServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return nil, err
	}
	if err := made.Complete(); err != nil {
		return nil, err
	}
	return made, made.Validate()
}

func build(made *options.CustomResourceDefinitionsServerOptions, etcd string) (*genericserver.GenericAPIServer, error) {
	config, err := made.Config()
	if err != nil {
		return nil, err
	}
	namer := openapi.NewDefinitionNamer(extensions.Scheme, legacyscheme.Scheme)
	definitions := coreDefinitions(generated.GetOpenAPIDefinitions)
	config.GenericConfig.OpenAPIConfig = genericserver.DefaultOpenAPIConfig(definitions, namer)
	config.GenericConfig.OpenAPIV3Config = genericserver.DefaultOpenAPIV3Config(definitions, namer)
	server, err := config.Complete().New(genericserver.NewEmptyDelegate())
	if err != nil {
		return nil, err
	}
	if err := installCore(server.GenericAPIServer, etcd); err != nil {
		return nil, err
	}
	tellGroups(server.GenericAPIServer)
	return server.GenericAPIServer, nil
}

// tellGroups serves the list of API groups at /apis, which in a whole cluster the aggregator does.
func tellGroups(server *genericserver.GenericAPIServer) {
	groups := aggregated.WrapAggregatedDiscoveryToHandler(
		server.DiscoveryGroupManager, server.AggregatedDiscoveryGroupManager, nil)
	server.Handler.GoRestfulContainer.Add(groups.GenerateWebService("/apis", metav1.APIGroupList{}))
}

// wait returns when the server is up; its readiness would wait for a core API server too.
func wait(client *rest.Config) error {
	clients, err := kubernetes.NewForConfig(client)
	if err != nil {
		return err
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if _, err = clients.RESTClient().Get().AbsPath("/healthz").DoRaw(context.Background()); err == nil {
			return nil
		}
	}
	return fmt.Errorf("the API server was not ready in %s: %w", patience, err)
}

func run(folder, port string, more []string) error {
	kept, err := storage(filepath.Join(folder, "etcd"))
	if err != nil {
		return err
	}
	defer kept.Close()
	etcd := "http://" + kept.Clients[0].Addr().String()
	made, err := configure(folder, etcd, port, more)
	if err != nil {
		return err
	}
	server, err := build(made, etcd)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- server.PrepareRun().RunWithContext(ctx) }()
	if err := wait(server.LoopbackClientConfig); err != nil {
		return err
	}
	path := filepath.Join(folder, "kubeconfig")
	if err := clientcmd.WriteToFile(*kubeconfig(server.LoopbackClientConfig), path); err != nil {
		return err
	}
	fmt.Println("ready")
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	return <-ended
}

func main() {
	port, more := "0", []string(nil)
	if len(os.Args) > 2 {
		port, more = os.Args[2], os.Args[3:]
	}
	if err := run(os.Args[1], port, more); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
