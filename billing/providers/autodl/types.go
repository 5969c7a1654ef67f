package autodl

import (
	"encoding/json"
	"time"
)

// AutoDL's own words stop in this file. The structs are narrow on purpose: root_password, jupyter_token, ssh_command and
// the addresses of an instance are never decoded.

// envelope is around every answer; anything but success is a failure, although the HTTP status is 200.
type envelope struct {
	Code      string          `json:"code"`
	Msg       string          `json:"msg"`
	Data      json.RawMessage `json:"data"`
	RequestID string          `json:"request_id"`
}

// The codes of an answer. There is no list of them: these were seen.
const (
	codeSuccess   = "Success"
	codeMissing   = "RecordNotFoundError"
	codeParameter = "RequestParameterIsWrong"
	codeRefused   = "BadRequest"
	codeRealName  = "TORealName"
	codeInternal  = "InternalError" // of a fault, and of a state that does not allow the act
)

// wallet is the account's money, in thousandths.
type wallet struct {
	Assets     json.Number `json:"assets"`
	Accumulate json.Number `json:"accumulate"`
	Vouchers   json.Number `json:"voucher_balance"`
	Blocked    json.Number `json:"blocked_asset"` // frozen, of Assets; not documented
}

// sheet is one page of a list.
type sheet[T any] struct {
	List  *[]T        `json:"list"`
	Index json.Number `json:"page_index"`
	Pages json.Number `json:"max_page"`
	Total json.Number `json:"result_total"`
}

type instance struct {
	UUID      string      `json:"uuid"`
	Name      string      `json:"name"`
	Region    string      `json:"region_sign"`
	Status    string      `json:"status"`
	StatusAt  string      `json:"status_at"`
	StartMode string      `json:"start_mode"`
	Charge    string      `json:"charge_type"`
	GPUs      json.Number `json:"req_gpu_amount"`
	Spec      string      `json:"gpu_spec_uuid"`
	CreatedAt string      `json:"created_at"`
	ExpiredAt nullTime    `json:"expired_at"` // prepaid end
	StartedAt nullTime    `json:"started_at"`
	StoppedAt nullTime    `json:"stopped_at"`
}

// nullTime is a time that counts only where it is valid.
type nullTime struct {
	Time  string `json:"Time"`
	Valid bool   `json:"Valid"`
}

func (n nullTime) instant() time.Time {
	if !n.Valid {
		return time.Time{}
	}
	return instant(n.Time)
}

// The statuses of an instance, as seen; the documentation names running and shutdown.
const (
	statusCreating     = "creating"
	statusCreated      = "created"
	statusStarting     = "starting"
	statusMerged       = "oss_merged"
	statusReset        = "re_initializing"
	statusRunning      = "running"
	statusShuttingDown = "shutting_down"
	statusShutdown     = "shutdown"
	statusReleasing    = "releasing"
	statusReleased     = "released"
)

const (
	modeGPU    = "gpu"  // start_mode; anything else runs without a GPU
	chargePayg = "payg" // charge_type; anything else is paid ahead
)

// details are what the list does not say of an instance.
type details struct {
	Price    json.Number `json:"payg_price"` // after discount, thousandths per hour
	GPU      string      `json:"snapshot_gpu_alias_name"`
	DiskInit json.Number `json:"system_init_disk_size"` // bytes
	Disk     json.Number `json:"expand_system_disk_size"`
	Usage    *struct {
		DataDisk json.Number `json:"data_disk_total_size"`
	} `json:"usage_info"`
}

// image is a private image; the first name of a field is the Pro API's, the second the elastic one's.
type image struct {
	UUID      string      `json:"image_uuid"`
	Name      string      `json:"name"`
	OtherName string      `json:"image_name"`
	Status    string      `json:"status"`
	Size      json.Number `json:"image_size"` // bytes
	Created   string      `json:"create_at"`
	CreatedAt string      `json:"created_at"`
}

const imageFinished = "finished"
