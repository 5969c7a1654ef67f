package runpod

import "encoding/json"

// RunPod's own words stop in this file. The structs are narrow on purpose: env, args, ssh and the like hold secrets of
// users and are never decoded.

type pagination struct {
	NextCursor  *string `json:"nextCursor"`
	HasNextPage bool    `json:"hasNextPage"`
}

type podPage struct {
	Pods       *[]pod     `json:"pods"`
	Pagination pagination `json:"pagination"`
}

type pod struct {
	ID      string      `json:"id"`
	Name    string      `json:"name"`
	Status  string      `json:"status"`
	Actions []string    `json:"actions"`
	Disk    json.Number `json:"disk"` // container disk, GB
	Mounts  struct {
		Persistent *struct {
			Size json.Number `json:"size"`
		} `json:"persistent"`
		Network []struct {
			VolumeID string `json:"volumeId"`
		} `json:"network"`
	} `json:"mounts"`
	GPU *struct {
		ID    string      `json:"id"`
		Count json.Number `json:"count"`
	} `json:"gpu"`
	CPU *struct {
		ID string `json:"id"`
	} `json:"cpu"`
	Cloud        string      `json:"cloud"`
	DataCenterID string      `json:"dataCenterId"` // "" until the scheduler has placed the pod
	Cost         json.Number `json:"cost"`         // USD per hour, disks apart; 0.0 when EXITED or TERMINATED
	Locked       bool        `json:"locked"`
	Cluster      *struct {
		ID string `json:"id"`
	} `json:"cluster"`
	Runtime *struct {
		GPUs []struct {
			Util json.Number `json:"util"`
		} `json:"gpus"`
		CPU *struct {
			Util json.Number `json:"util"`
		} `json:"cpu"`
	} `json:"runtime"`
	CreatedAt string `json:"createdAt"`
	StartedAt string `json:"startedAt"`
}

// The statuses of a pod.
const (
	podProvisioning = "PROVISIONING"
	podStarting     = "STARTING"
	podRunning      = "RUNNING"
	podExited       = "EXITED"
	podError        = "ERROR"
	podTerminated   = "TERMINATED"
)

type volumePage struct {
	Volumes    *[]volume  `json:"networkVolumes"`
	Pagination pagination `json:"pagination"`
}

type volume struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Size       json.Number `json:"size"`
	DataCenter string      `json:"dataCenter"`
	Type       string      `json:"type"` // STANDARD or HIGH_PERFORMANCE
}

type clusterPage struct {
	Clusters   *[]cluster `json:"clusters"`
	Pagination pagination `json:"pagination"`
}

type cluster struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Type    string `json:"type"` // TRAINING, APPLICATION, SLURM, RAY
	Compute struct {
		GPU   string      `json:"gpuTypeId"`
		Cards json.Number `json:"gpuCountPerPod"`
		Pods  json.Number `json:"podCount"`
	} `json:"compute"`
	DataCenterID string  `json:"dataCenterId"` // missing until a pod is placed
	Summary      members `json:"pods"`
	CreatedAt    string  `json:"createdAt"`
}

// members is how many pods a cluster has by now.
type members struct {
	Total json.Number `json:"total"`
}

type endpointPage struct {
	Endpoints  *[]endpoint `json:"endpoints"`
	Pagination pagination  `json:"pagination"`
}

type endpoint struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
	GPU  *struct {
		Pools []string `json:"pools"`
	} `json:"gpu"`
	Workers struct {
		Min json.Number `json:"min"`
	} `json:"workers"`
	NetworkVolumes []string `json:"networkVolumes"`
	CreatedAt      string   `json:"createdAt"`
}

type tagPage struct {
	Tags       *[]tag     `json:"tags"`
	Pagination pagination `json:"pagination"`
}

// tag is one key and value with what it is attached to, as RunPod's own tools read it.
type tag struct {
	Key       string `json:"key"`
	Value     string `json:"value"`
	Resources []struct {
		ID   string `json:"id"`
		Type string `json:"type"` // POD, SERVERLESS_ENDPOINT and the like
	} `json:"resources"`
}

type gpuPage struct {
	GPUs       *[]gpuType `json:"gpus"`
	Pagination pagination `json:"pagination"`
}

type gpuType struct {
	ID        string `json:"id"`
	Secure    bool   `json:"secure"`
	Community bool   `json:"community"`
	Price     struct {
		Secure    json.Number `json:"secure"` // USD per hour for one card
		Community json.Number `json:"community"`
	} `json:"price"`
	Availability string `json:"availability"`
	DataCenters  []struct {
		ID           string `json:"id"`
		Availability string `json:"availability"`
	} `json:"dataCenters"`
}

type balanceAnswer struct {
	Amount json.Number `json:"balanceAmount"`
	Mode   string      `json:"billingMode"`
}

type recordPage struct {
	Records    *[]record  `json:"records"`
	Pagination pagination `json:"pagination"`
}

// record is a bucket of any of the billing routes; each fills its own ids and components.
type record struct {
	StartTime       string      `json:"startTime"`
	EndTime         string      `json:"endTime"`
	PodID           string      `json:"podId"`
	NetworkVolumeID string      `json:"networkVolumeId"`
	ServerlessID    string      `json:"serverlessId"`
	ClusterID       string      `json:"clusterId"`
	Total           json.Number `json:"totalAmount"`
	GPU             json.Number `json:"gpuAmount"`
	CPU             json.Number `json:"cpuAmount"`
	Disk            json.Number `json:"diskAmount"`
	Fee             json.Number `json:"feeAmount"`
	Networking      json.Number `json:"networkingAmount"`
	Standard        json.Number `json:"standardAmount"`
	HighPerformance json.Number `json:"highPerformanceAmount"`
}

type graphAnswer struct {
	Errors []struct {
		Extensions struct {
			Code string `json:"code"`
		} `json:"extensions"`
	} `json:"errors"`
	Data *struct {
		Myself *struct {
			ID      string      `json:"id"`
			Balance json.Number `json:"clientBalance"`
		} `json:"myself"`
	} `json:"data"`
}
