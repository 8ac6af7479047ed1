// Crd answers, line by line, what a Kubernetes API server would make of a custom resource: the fields that it
// does not know, the errors of its validation, and the object with nulls dropped and defaults filled in.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

type question struct {
	CRD     string          `json:"crd"`
	Version string          `json:"version"`
	Object  json.RawMessage `json:"object"`
}

type fault struct {
	Field  string `json:"field"`
	Type   string `json:"type"`
	Detail string `json:"detail"`
}

type answer struct {
	Errors    []fault        `json:"errors"`
	Unknown   []string       `json:"unknown"`
	Defaulted map[string]any `json:"defaulted"`
	Problem   string         `json:"problem,omitempty"`
}

// server holds what an API server compiles once for one version of a resource.
type server struct {
	structural *schema.Structural
	openapi    validation.SchemaValidator
	rules      *cel.Validator
}

func load(path, version string) (*server, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(content, &crd); err != nil {
		return nil, err
	}
	for _, candidate := range crd.Spec.Versions {
		if candidate.Name == version {
			return compile(candidate.Schema.OpenAPIV3Schema)
		}
	}
	return nil, fmt.Errorf("%s has no version %q", path, version)
}

func compile(props *apiextensionsv1.JSONSchemaProps) (*server, error) {
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, &internal, nil); err != nil {
		return nil, err
	}
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		return nil, err
	}
	openapi, _, err := validation.NewSchemaValidator(&internal)
	if err != nil {
		return nil, err
	}
	return &server{structural, openapi, cel.NewValidator(structural, true, celconfig.PerCallLimit)}, nil
}

// admit takes the steps of a create request in the API server's order.
func (s *server) admit(object map[string]any) answer {
	defaulting.PruneNonNullableNullsWithoutDefaults(object, s.structural)
	defaulting.Default(object, s.structural)
	tracking := schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	unknown := pruning.PruneWithOptions(object, s.structural, true, tracking)
	errs := validation.ValidateCustomResource(nil, object, s.openapi)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.structural, object)...)
	if !blocking(errs) {
		broken, _ := s.rules.Validate(context.Background(), nil, s.structural, object, nil, celconfig.RuntimeCELCostBudget)
		errs = append(errs, broken...)
	}
	faults := []fault{}
	for _, err := range errs {
		faults = append(faults, fault{err.Field, string(err.Type), err.Detail})
	}
	return answer{Errors: faults, Unknown: append([]string{}, unknown...), Defaulted: object}
}

// blocking tells whether the API server would skip its CEL rules after these errors.
func blocking(errs field.ErrorList) bool {
	for _, err := range errs {
		switch err.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong,
			field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return true
		}
	}
	return false
}

func reply(line []byte, servers map[string]*server) answer {
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		return answer{Problem: err.Error()}
	}
	var object map[string]any
	if err := kjson.Unmarshal(asked.Object, &object); err != nil {
		return answer{Problem: err.Error()}
	}
	key := asked.CRD + "\x00" + asked.Version
	if servers[key] == nil {
		loaded, err := load(asked.CRD, asked.Version)
		if err != nil {
			return answer{Problem: err.Error()}
		}
		servers[key] = loaded
	}
	return servers[key].admit(object)
}

func main() {
	servers := map[string]*server{}
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	answers := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		if err := answers.Encode(reply(line, servers)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
