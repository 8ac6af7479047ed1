// Command gotemplate answers, one JSON object per line, what Go's text/template writes for a prompt.
//
// Without arguments it reads cases from standard input and writes a verdict for each. With the argument
// "runes" it writes the code point ranges of Go's letters, digits and printable characters instead.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"text/template"
	"unicode"
)

// outputLimit is where a render is cut off, in bytes; it is the limit of the engine under test.
const outputLimit = 1 << 20

// Ctx is the dot of a prompt.
type Ctx struct {
	AgentTemplateName      string
	AgentTemplateNamespace string
	Description            string
	ToolNames              []string
}

// Case is one prompt with all that its render can see.
type Case struct {
	Template string            `json:"template"`
	Context  Ctx               `json:"context"`
	Sources  map[string]string `json:"sources"`
}

// Verdict is the output of a render, or the stage at which it failed with Go's message.
type Verdict struct {
	Output []byte `json:"output"`
	Stage  string `json:"stage,omitempty"`
	Error  string `json:"error,omitempty"`
}

// limited is a writer that refuses to hold more than outputLimit bytes.
type limited struct{ bytes.Buffer }

func (w *limited) Write(p []byte) (int, error) {
	if w.Len()+len(p) > outputLimit {
		return 0, errors.New("output limit")
	}
	return w.Buffer.Write(p)
}

func render(c Case) Verdict {
	include := func(key string) (string, error) {
		text, found := c.Sources[key]
		if !found {
			return "", fmt.Errorf("no source %q", key)
		}
		return text, nil
	}
	parsed, err := template.New("systemPrompt").Funcs(template.FuncMap{"include": include}).Parse(c.Template)
	if err != nil {
		return Verdict{Stage: "parse", Error: err.Error()}
	}
	// An empty slice, never nil, and no spare capacity that `slice` could reach into.
	c.Context.ToolNames = slices.Clip(append([]string{}, c.Context.ToolNames...))
	var output limited
	if err := parsed.Execute(&output, c.Context); err != nil {
		return Verdict{Stage: "execute", Error: err.Error()}
	}
	return Verdict{Output: output.Bytes()}
}

func answer() error {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	for in.Scan() {
		var c Case
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			return err
		}
		if err := encoder.Encode(render(c)); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return in.Err()
}

// ranges are the runs of code points that a predicate holds for, as [first, last] pairs.
func ranges(holds func(rune) bool) [][2]rune {
	var found [][2]rune
	for r := rune(0); r <= unicode.MaxRune; r++ {
		switch {
		case !holds(r):
		case len(found) > 0 && found[len(found)-1][1] == r-1:
			found[len(found)-1][1] = r
		default:
			found = append(found, [2]rune{r, r})
		}
	}
	return found
}

func runes() error {
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"unicode":   unicode.Version,
		"letters":   ranges(unicode.IsLetter),
		"digits":    ranges(unicode.IsDigit),
		"printable": ranges(unicode.IsPrint),
	})
}

func main() {
	act := answer
	if len(os.Args) > 1 && os.Args[1] == "runes" {
		act = runes
	}
	if err := act(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
