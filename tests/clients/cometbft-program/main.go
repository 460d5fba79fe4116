// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

// A replicated key-value store. CometBFT's validators agree on the order of writes, and CometBFT's
// example application stores the keys. Both use the configured database backend; with cleveldb that
// is LevelDB's library. The commands are those of cometbft.
package main

import (
	"os"

	"github.com/cometbft/cometbft/abci/example/kvstore"
	"github.com/cometbft/cometbft/cmd/cometbft/commands"
	"github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/libs/cli"
	"github.com/cometbft/cometbft/libs/log"
	"github.com/cometbft/cometbft/node"
	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/privval"
	"github.com/cometbft/cometbft/proxy"
)

// newNode makes a validator that contains the application. The application has a store next to
// CometBFT's stores.
func newNode(settings *config.Config, logger log.Logger) (*node.Node, error) {
	keys, err := config.DefaultDBProvider(&config.DBContext{ID: "kvstore", Config: settings})
	if err != nil {
		return nil, err
	}
	identity, err := p2p.LoadOrGenNodeKey(settings.NodeKeyFile())
	if err != nil {
		return nil, err
	}
	return node.NewNode(
		settings,
		privval.LoadOrGenFilePV(settings.PrivValidatorKeyFile(), settings.PrivValidatorStateFile()),
		identity,
		proxy.NewLocalClientCreator(kvstore.NewApplication(keys)),
		node.DefaultGenesisDocProviderFunc(settings),
		config.DefaultDBProvider,
		node.DefaultMetricsProvider(settings.Instrumentation),
		logger,
	)
}

func main() {
	root := commands.RootCmd
	root.Use = "replicated"
	root.AddCommand(
		commands.NewRunNodeCmd(newNode),
		commands.ShowNodeIDCmd,
		commands.TestnetFilesCmd,
		commands.VersionCmd,
	)
	if err := cli.PrepareBaseCmd(root, "CMT", config.DefaultTendermintDir).Execute(); err != nil {
		os.Exit(1)
	}
}
