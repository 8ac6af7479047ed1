// Health answers, line by line, what a health check says of an object: a script of Argo CD in its Lua, or an
// expression of Flux in its CEL.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
	lua "github.com/yuin/gopher-lua"
)

type question struct {
	Lua    string         `json:"lua"`
	CEL    string         `json:"cel"`
	Object map[string]any `json:"object"`
}

type answer struct {
	Status  string `json:"status,omitempty"`
	Message string `json:"message,omitempty"`
	Value   *bool  `json:"value,omitempty"`
	Problem string `json:"problem,omitempty"`
}

func toLua(state *lua.LState, value any) lua.LValue {
	switch typed := value.(type) {
	case map[string]any:
		table := state.NewTable()
		for key, item := range typed {
			table.RawSetString(key, toLua(state, item))
		}
		return table
	case []any:
		table := state.NewTable()
		for _, item := range typed {
			table.Append(toLua(state, item))
		}
		return table
	case string:
		return lua.LString(typed)
	case float64:
		return lua.LNumber(typed)
	case bool:
		return lua.LBool(typed)
	}
	return lua.LNil
}

// ask runs a script without libraries but the base and tables, as Argo CD does by default.
func ask(script string, object map[string]any) answer {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range map[string]lua.LGFunction{
		lua.BaseLibName: lua.OpenBase,
		lua.TabLibName:  lua.OpenTable,
	} {
		state.Push(state.NewFunction(open))
		state.Push(lua.LString(name))
		state.Call(1, 0)
	}
	state.SetGlobal("obj", toLua(state, object))
	if err := state.DoString(script); err != nil {
		return answer{Problem: err.Error()}
	}
	table, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		return answer{Problem: "the script returns no table"}
	}
	return answer{Status: table.RawGetString("status").String(), Message: table.RawGetString("message").String()}
}

// evaluate parses and does not compile, since an object may have any fields, as Flux does.
func evaluate(expression string, object map[string]any) answer {
	env, err := cel.NewEnv(cel.HomogeneousAggregateLiterals(), cel.EagerlyValidateDeclarations(true),
		cel.DefaultUTCTimeZone(true), cel.CrossTypeNumericComparisons(true), cel.OptionalTypes(),
		ext.Strings(), ext.Sets(), ext.Encoders())
	if err != nil {
		return answer{Problem: err.Error()}
	}
	parsed, issues := env.Parse(expression)
	if issues.Err() != nil {
		return answer{Problem: issues.Err().Error()}
	}
	program, err := env.Program(parsed)
	if err != nil {
		return answer{Problem: err.Error()}
	}
	value, _, err := program.Eval(object)
	if err != nil {
		return answer{Problem: err.Error()}
	}
	found, ok := value.Value().(bool)
	if !ok {
		return answer{Problem: "the expression gives no boolean"}
	}
	return answer{Value: &found}
}

func main() {
	answers := json.NewEncoder(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		if asked.Lua != "" {
			_ = answers.Encode(ask(asked.Lua, asked.Object))
		} else {
			_ = answers.Encode(evaluate(asked.CEL, asked.Object))
		}
	}
}
