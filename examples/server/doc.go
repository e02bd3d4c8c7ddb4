// Command server sorts the lines of request bodies outside the garbage collector,
// with a memory context for each request and limits for each tenant.
//
//	go run ./examples/server -limits examples/server/limits.json
//	printf 'b\na\n' | curl -H 'X-Tenant: acme' --data-binary @- localhost:8080/sort
//
// The tenant of a request is that of its X-Tenant header; who is not in the file of
// limits is refused with 403. A request that needs more than one request may
// (-request) is answered with 413: it would fail again. One that fails because of
// what its tenant, or all tenants together, use at the moment is answered with 503
// and Retry-After. The file is read again whenever it has changed; a file that
// cannot be read leaves the limits as they are. /debug/vars has, as "memory", what
// each tenant uses.
package main
