package lambda

import "encoding/json"

// The answers of Lambda's API, as far as they are used. Types are narrow on purpose: jupyter_token, jupyter_url,
// ssh_key_names and user data are never decoded.

// answer is the envelope of every success, and of errors. Lists have no pages: one that names a next page is an edition
// of the API that we do not know, and reading its first page only would make things look gone.
type answer[T any] struct {
	Data  *T `json:"data"`
	Error *struct {
		Code string `json:"code"`
	} `json:"error"`
	Next *string `json:"page_token"`
}

type instance struct {
	ID              string   `json:"id"`
	Name            string   `json:"name"`
	Status          string   `json:"status"`
	FileSystemNames []string `json:"file_system_names"`
	Mounts          []struct {
		FileSystemID string `json:"file_system_id"`
	} `json:"file_system_mounts"` // missing where nothing is mounted
	Region   region       `json:"region"`
	Type     instanceType `json:"instance_type"`
	Reserved bool         `json:"is_reserved"` // in an example of the API's document only, not in its schema
	Actions  struct {
		Terminate *struct {
			Available  bool   `json:"available"`
			ReasonCode string `json:"reason_code"`
		} `json:"terminate"`
	} `json:"actions"`
	Tags []struct {
		Key   string `json:"key"`
		Value string `json:"value"`
	} `json:"tags"`
}

type region struct {
	Name string `json:"name"`
}

type instanceType struct {
	Name           string      `json:"name"`
	GPUDescription string      `json:"gpu_description"`
	Cents          json.Number `json:"price_cents_per_hour"` // US cents for the whole instance, all cards
	Specs          struct {
		GPUs json.Number `json:"gpus"`
	} `json:"specs"`
}

// The statuses of an instance.
const (
	statusBooting     = "booting"
	statusActive      = "active"
	statusUnhealthy   = "unhealthy"
	statusTerminating = "terminating"
	statusTerminated  = "terminated"
	statusPreempted   = "preempted"
)

type filesystem struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Created   string `json:"created"`
	CreatedBy struct {
		Email string `json:"email"`
	} `json:"created_by"`
	InUse     *bool       `json:"is_in_use"`
	Region    region      `json:"region"`
	BytesUsed json.Number `json:"bytes_used"` // an estimate of every few hours; missing until there is one
}

// catalogue maps the name of an instance type to the type and where some are free.
type catalogue map[string]struct {
	Type    instanceType `json:"instance_type"`
	Regions []region     `json:"regions_with_capacity_available"`
}

type terminated struct {
	Instances []struct {
		ID string `json:"id"`
	} `json:"terminated_instances"`
}

type deleted struct {
	IDs []string `json:"deleted_ids"`
}
