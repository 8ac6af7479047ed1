// Command kubeyaml answers, for each question on standard input (an object with base64 `yaml`), what
// sigs.k8s.io/yaml makes of the text as JSON, or its error. With `config` the text is unmarshalled into a
// map instead, as a controller reads a field of YAML text, and `text` is that map marshalled again.
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
	Config  bool   `json:"config"`
}

type answer struct {
	JSON  json.RawMessage `json:"json,omitempty"`
	Text  []byte          `json:"text,omitempty"`
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
		reply := read
		if q.Config {
			reply = roundTrip
		}
		if err := answers.Encode(reply(q)); err != nil {
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

// roundTrip gives the values with an error where only marshalling them fails.
func roundTrip(q question) answer {
	var values map[string]any
	if err := yaml.Unmarshal(q.YAML, &values); err != nil {
		return answer{Error: err.Error()}
	}
	text, err := json.Marshal(values)
	if err != nil {
		return answer{Error: err.Error()}
	}
	written, err := yaml.Marshal(values)
	if err != nil {
		return answer{JSON: text, Error: err.Error()}
	}
	return answer{JSON: text, Text: written}
}
