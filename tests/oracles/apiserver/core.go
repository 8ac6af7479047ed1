package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	genericserver "k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	core "k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/registry/core/configmap"

	corev1 "k8s.io/api/core/v1"
)

// coreDefinitions adds ConfigMaps to what is known of the schemas of objects.
func coreDefinitions(others common.GetOpenAPIDefinitions) common.GetOpenAPIDefinitions {
	return func(ref common.ReferenceCallback) map[string]common.OpenAPIDefinition {
		definitions := others(ref)
		text, truth := *spec.StringProperty(), *spec.BooleanProperty()
		bytes := *spec.StrFmtProperty("byte")
		item := corev1.ConfigMap{}.OpenAPIModelName()
		metadata, list := metav1.ObjectMeta{}.OpenAPIModelName(), metav1.ListMeta{}.OpenAPIModelName()
		definitions[item] = object(map[string]spec.Schema{
			"apiVersion": text, "kind": text, "metadata": referring(ref, metadata), "immutable": truth,
			"data": *spec.MapProperty(&text), "binaryData": *spec.MapProperty(&bytes),
		}, metadata)
		definitions[corev1.ConfigMapList{}.OpenAPIModelName()] = object(map[string]spec.Schema{
			"apiVersion": text, "kind": text, "metadata": referring(ref, list),
			"items": *spec.ArrayProperty(&spec.Schema{SchemaProps: referring(ref, item).SchemaProps}),
		}, item, list)
		return definitions
	}
}

func object(properties map[string]spec.Schema, needs ...string) common.OpenAPIDefinition {
	schema := spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{"object"}, Properties: properties}}
	return common.OpenAPIDefinition{Schema: schema, Dependencies: needs}
}

func referring(ref common.ReferenceCallback, name string) spec.Schema {
	return spec.Schema{SchemaProps: spec.SchemaProps{Default: map[string]interface{}{}, Ref: ref(name)}}
}

// installCore serves ConfigMaps as kube-apiserver does: with its strategy, validation and conversions.
func installCore(server *genericserver.GenericAPIServer, etcd string) error {
	codec := legacyscheme.Codecs.LegacyCodec(corev1.SchemeGroupVersion)
	backend := storagebackend.NewDefaultConfig("/registry", codec)
	backend.Transport.ServerList = []string{etcd}
	stored := genericoptions.NewEtcdOptions(backend)
	kept := stored.CreateRESTOptionsGetter(&genericoptions.SimpleStorageFactory{StorageConfig: *backend}, nil)
	store := &registry.Store{
		NewFunc:                   func() runtime.Object { return &core.ConfigMap{} },
		NewListFunc:               func() runtime.Object { return &core.ConfigMapList{} },
		PredicateFunc:             configmap.Matcher,
		DefaultQualifiedResource:  core.Resource("configmaps"),
		SingularQualifiedResource: core.Resource("configmap"),
		CreateStrategy:            configmap.Strategy,
		UpdateStrategy:            configmap.Strategy,
		DeleteStrategy:            configmap.Strategy,
		TableConvertor:            rest.NewDefaultTableConvertor(core.Resource("configmaps")),
	}
	options := &generic.StoreOptions{RESTOptions: kept, AttrFunc: configmap.GetAttrs}
	if err := store.CompleteWithOptions(options); err != nil {
		return err
	}
	group := genericserver.NewDefaultAPIGroupInfo(
		corev1.GroupName, legacyscheme.Scheme, legacyscheme.ParameterCodec, legacyscheme.Codecs)
	group.PrioritizedVersions = legacyscheme.Scheme.PrioritizedVersionsForGroup(corev1.GroupName)
	group.VersionedResourcesStorageMap["v1"] = map[string]rest.Storage{"configmaps": store}
	return server.InstallLegacyAPIGroup(genericserver.DefaultLegacyAPIPrefix, &group)
}
