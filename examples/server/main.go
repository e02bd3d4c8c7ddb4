package main

import (
	"expvar"
	"flag"
	"log"
	"net/http"
	"time"

	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

func main() {
	config := config{request: memctx.Options{Name: "request", Limit: 4 << 20, Retain: 256 << 10}}
	addr := flag.String("addr", "localhost:8080", "`address` to listen on")
	flag.StringVar(&config.limits, "limits", "limits.json", "`file` of limits by tenant")
	flag.Var(&config.request, "request", "`options` of the context of a request")
	flag.IntVar(&config.idle, "idle", 4, "idle `contexts` kept for each tenant")
	every := flag.Duration("every", time.Second, "how often to look for a change of the limits")
	flag.Parse()

	s, err := newServer(config, segment.Default())
	if err != nil {
		log.Fatal(err)
	}
	expvar.Publish("memory", expvar.Func(s.vars))
	http.Handle("POST /sort", s.withMemory(http.HandlerFunc(sortLines)))
	go func() {
		for range time.Tick(*every) {
			if err := s.reload(); err != nil {
				log.Print(err)
			}
		}
	}()
	log.Fatal(http.ListenAndServe(*addr, nil))
}
