package huawei

import (
	"sync"

	"gpuspend/billing"
)

// enterprise keeps which enterprise project a thing belongs to, and what the projects are called: lists give ids, and the
// bill gives ids with names. A project tag comes before it.
type enterprise struct {
	mu    sync.Mutex
	of    map[string]string // enterprise project's id by the thing's
	names map[string]string // by the enterprise project's id
}

// defaultEnterprise is the project of whatever was put into none.
const defaultEnterprise = "0"

// note remembers what a list said of a thing.
func (e *enterprise) note(thing, project string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.of == nil {
		e.of = map[string]string{}
	}
	e.of[thing] = project
}

// call remembers what a line of the bill calls a project, and gives the name; "" for the default project.
func (e *enterprise) call(id, name string) string {
	if id == "" || id == defaultEnterprise {
		return ""
	}
	if name == "" {
		return id
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.names == nil {
		e.names = map[string]string{}
	}
	e.names[id] = name
	return name
}

// fill names the project of everything that no tag gives one: by its id until a bill names it.
func (e *enterprise) fill(all []billing.Resource) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, r := range all {
		id := e.of[r.Ref.ID]
		if r.Project != "" || id == "" || id == defaultEnterprise {
			continue
		}
		all[i].Project = id
		if name := e.names[id]; name != "" {
			all[i].Project = name
		}
	}
}
