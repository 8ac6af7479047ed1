// Command kubeyaml answers, for each question on standard input (an object with base64 `yaml`), what
// sigs.k8s.io/yaml makes of the text as JSON, or its error.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"sigs.k8s.io/yaml"
)

type question struct {
	YAML    []byte `json:"yaml"`
	Lenient bool   `json:"lenient"`
}

type answer struct {
	JSON  json.RawMessage `json:"json,omitempty"`
	Error string          `json:"error,omitempty"`
}

func main() {
	questions := json.NewDecoder(bufio.NewReader(os.Stdin))
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	answers := json.NewEncoder(out)
	for questions.More() {
		var q question
		if err := questions.Decode(&q); err != nil {
			panic(err)
		}
		if err := answers.Encode(read(q)); err != nil {
			panic(err)
		}
	}
}

func read(q question) answer {
	convert := yaml.YAMLToJSONStrict
	if q.Lenient {
		convert = yaml.YAMLToJSON
	}
	text, err := convert(q.YAML)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{JSON: text}
}
