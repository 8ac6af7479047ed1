// Fluxapply applies the manifests of standard input to the API server of a kubeconfig as Flux's
// kustomize-controller does, with Flux's own package, and says what became of each.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/fluxcd/pkg/ssa"
	"github.com/fluxcd/pkg/ssa/utils"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const group = "kustomize.toolkit.fluxcd.io"

func run(path string) error {
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return err
	}
	kube, err := client.New(config, client.Options{})
	if err != nil {
		return err
	}
	objects, err := utils.ReadObjects(os.Stdin)
	if err != nil {
		return err
	}
	manager := ssa.NewResourceManager(kube, nil, ssa.Owner{Field: "kustomize-controller", Group: group})
	options := ssa.DefaultApplyOptions()
	// The annotations that the controller looks for (fluxcd/kustomize-controller, docs/spec/v1/kustomizations.md).
	options.IfNotPresentSelector = map[string]string{group + "/ssa": "IfNotPresent"}
	options.ExclusionSelector = map[string]string{group + "/ssa": "Ignore", group + "/reconcile": "disabled"}
	changes, err := manager.ApplyAll(context.Background(), objects, options)
	if err != nil {
		return err
	}
	for _, entry := range changes.Entries {
		fmt.Println(entry.Subject, entry.Action)
	}
	return nil
}

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
