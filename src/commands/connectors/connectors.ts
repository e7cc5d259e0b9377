import { type Command, Option } from 'commander'
import { createAuthProfile } from '@apprentice/contracts/connectors/auth-profiles.ts'
import { updateConnectorPolicy } from '@apprentice/contracts/connectors/policy.ts'
import type { ConnectorServer, ServerListItem } from '@apprentice/contracts/connectors/server.ts'
import {
  deleteConnectorServer,
  listConnectorServers,
  patchConnectorServer,
  registerConnectorServer,
  smokeTestConnector,
} from '@apprentice/contracts/connectors/servers.ts'
import { PolicyMode, Provider } from '@apprentice/contracts/connectors/values.ts'
import { connect, type ConnectionOptions, printResult, reportFailures, withConnection } from '../terminal/connection.ts'
import { EXIT_CODES } from '../terminal/exit-codes.ts'
import { formatTable } from '../terminal/table.ts'
import { chooseServer } from './server-choice.ts'
import { signIn } from './sign-in.ts'

type Providers = (typeof Provider.options)[number]
type Modes = (typeof PolicyMode.options)[number]
type AddOptions = ConnectionOptions & {
  readonly endpoint?: string
  readonly provider: Providers
  readonly tool?: readonly string[]
  readonly auth: keyof typeof AUTH_MODES
  readonly scope?: readonly string[]
  readonly clientId?: string
  readonly tenant?: string
  readonly secret?: string
  readonly redirectUri?: string
  readonly disabled?: boolean
}
type ConnectOptions = ConnectionOptions & { readonly scope?: readonly string[] }
type TestOptions = ConnectionOptions & { readonly tool?: string; readonly acceptTools?: boolean }
type PolicyOptions = ConnectionOptions & { readonly tool?: string; readonly reason?: string }

const AUTH_MODES = {
  none: undefined,
  person: 'oauth2_delegated',
  service: 'oauth2_client_credentials',
  key: 'api_key',
} as const
const PAST = '2000-01-01T00:00:00.000Z'

export function addConnectorsCommand(program: Command): void {
  const connectors = program.command('connectors').description('MCP servers whose tools agents may call')
  withConnection(connectors.command('list').description('list the servers with their state')).action(
    (options: ConnectionOptions) => reportFailures(() => list(options)),
  )
  addAddCommand(connectors)
  withConnection(connectors.command('connect <server>').description('sign in: prints a link and waits'))
    .option('--scope <scope...>', 'scopes to ask for instead of those of the profile')
    .action((server: string, options: ConnectOptions) => reportFailures(() => signInTo(server, options)))
  withConnection(connectors.command('test <server>').description('connect to a server and list its tools'))
    .option('--tool <name>', 'also call this tool, if it only reads')
    .option('--accept-tools', 'let the tools that are found be called, as the policy says')
    .action((server: string, options: TestOptions) => reportFailures(() => test(server, options)))
  withConnection(
    connectors
      .command('policy <server> <mode>')
      .description('set whether calls are made, asked first or refused: enabled, ask_first, disabled, or default'),
  )
    .option('--tool <name>', 'only for this tool')
    .option('--reason <code>', 'why; it is recorded')
    .action((server: string, mode: string, options: PolicyOptions) =>
      reportFailures(() => setPolicy(server, mode, options)),
    )
  withConnection(connectors.command('remove <server>').description('remove a server')).action(
    (server: string, options: ConnectionOptions) => reportFailures(() => remove(server, options)),
  )
}

function addAddCommand(connectors: Command): void {
  withConnection(connectors.command('add <name>').description('register a server'))
    .option(
      '--endpoint <address>',
      'where the server is; absent for Microsoft 365 and for a local bridge of the settings',
    )
    .addOption(new Option('--provider <provider>', 'who runs it').choices(Provider.options).default('custom_remote'))
    .addOption(
      new Option('--auth <how>', 'how the daemon signs in: a person, a service, a key, or none')
        .choices(Object.keys(AUTH_MODES))
        .default('none'),
    )
    .option('--scope <scope...>', 'scopes to ask for')
    .option('--client-id <id>', 'the client that was registered with the authorization server')
    .option('--tenant <id>', 'the tenant of the organization')
    .option('--redirect-uri <address>', 'where the browser is sent back, as registered with the authorization server')
    .option('--secret <name>', 'the secret of the vault to use (see apprentice vault)')
    .option('--tool <name...>', 'tools that may be called; test --accept-tools takes those that the server has')
    .option('--disabled', 'register it without using it yet')
    .action((name: string, options: AddOptions) => reportFailures(() => add(name, options)))
}

async function list(options: ConnectionOptions): Promise<void> {
  const listed = await connect(options)(listConnectorServers)
  const rows = listed.servers.map(describeServer)
  printResult(options, listed, () =>
    rows.length === 0
      ? 'No connector server is registered.'
      : formatTable([['SERVER', 'NAME', 'STATE', 'SIGN-IN', 'POLICY', 'TOOLS'], ...rows]),
  )
}

function describeServer({ registry, badge_states, health, auth, effective_policy }: ServerListItem): string[] {
  const isPaused = health.throttle_state.state !== 'none'
  const state = [...badge_states, ...(isPaused ? ['throttled'] : [])].join(', ')
  return [
    registry.server_id,
    registry.display_name,
    state === '' ? health.health_status : state,
    auth?.auth_state ?? '',
    effective_policy.decision.mode,
    String(registry.supported_tools.length),
  ]
}

async function add(name: string, options: AddOptions): Promise<void> {
  const call = connect(options)
  const { endpoint, provider, tool = [], disabled } = options
  const auth_profile_id = await addProfile(options)
  const body = {
    provider,
    display_name: name,
    transport: chooseTransport(options),
    ...(endpoint === undefined ? {} : { endpoint_url: endpoint }),
    ...(auth_profile_id === undefined ? {} : { auth_profile_id }),
    supported_tools: [...tool],
    enabled: disabled !== true,
  }
  const added = await call(registerConnectorServer, { body })
  const { server_id } = added.server.registry
  const next = options.auth === 'person' ? 'connect' : 'test'
  printResult(options, added, () => `Registered ${server_id}. Next: apprentice connectors ${next} ${server_id}`)
}

/** Microsoft 365 needs no address. Without one, other servers are programs that the settings name. */
function chooseTransport({ endpoint, provider }: AddOptions): ConnectorServer['transport'] {
  if (endpoint !== undefined) return 'remote_http'
  return provider === 'm365' ? 'provider_native' : 'local_bridge'
}

async function addProfile(options: AddOptions): Promise<string | undefined> {
  const { provider, auth, scope = [], clientId, tenant, secret, redirectUri } = options
  const auth_mode = AUTH_MODES[auth]
  if (auth_mode === undefined) return undefined
  const { auth_profile_id } = await connect(options)(createAuthProfile, {
    body: {
      provider,
      auth_mode,
      scopes: [...scope],
      ...(clientId === undefined ? {} : { client_id: clientId }),
      ...(tenant === undefined ? {} : { tenant_id: tenant }),
      ...(redirectUri === undefined ? {} : { redirect_uri: redirectUri }),
      ...(secret === undefined ? {} : { secret_ref: `secret:${secret}` }),
      refresh_policy: 'auto_if_refresh_token',
    },
  })
  return auth_profile_id
}

async function signInTo(name: string, options: ConnectOptions): Promise<void> {
  const call = connect(options)
  const { registry } = await chooseServer(call, name)
  const { server_id } = registry
  const ended = await signIn(call, {
    server_id,
    scopes: options.scope,
    show: (link) => process.stderr.write(`Open this link in a browser and sign in:\n${link}\nWaiting …\n`),
  })
  if (ended.status !== 'ok') process.exitCode = EXIT_CODES.failure
  printResult(options, ended, () => ended.summary)
}

async function test(name: string, options: TestOptions): Promise<void> {
  const call = connect(options)
  const { registry } = await chooseServer(call, name)
  const { server_id } = registry
  const params = { serverId: server_id }
  const tool = options.tool === undefined ? {} : { tool_name: options.tool }
  const result = await call(smokeTestConnector, { params, body: { server_id, ...tool } })
  if (result.status === 'failed' || result.status === 'blocked') process.exitCode = EXIT_CODES.failure
  const mayAccept = options.acceptTools === true && result.tool_discovery_ok
  if (mayAccept) await call(patchConnectorServer, { params, body: { supported_tools: result.discovered_tools } })
  const callable = new Set(mayAccept ? result.discovered_tools : registry.supported_tools)
  const rows = result.discovered_tools.map((found) => [found, callable.has(found) ? 'may be called' : ''])
  printResult(options, result, () =>
    [`${result.status}: ${result.summary ?? ''}`, ...(rows.length === 0 ? [] : [formatTable(rows)])].join('\n'),
  )
}

async function setPolicy(name: string, mode: string, options: PolicyOptions): Promise<void> {
  const call = connect(options)
  const { registry } = await chooseServer(call, name)
  const { server_id } = registry
  const { tool, reason } = options
  const target =
    tool === undefined
      ? { target_kind: 'server' as const, server_id }
      : { target_kind: 'tool' as const, server_id, tool_name: tool }
  const decision = { ...readMode(mode), ...(reason === undefined ? {} : { reason_code: reason }) }
  const effective = await call(updateConnectorPolicy, { body: { target, decision } })
  const { inherited_from } = effective
  const origin =
    inherited_from === 'none' ? '' : ` (decided for ${inherited_from === 'global' ? 'all' : `the ${inherited_from}`})`
  printResult(options, effective, () => `${tool ?? registry.display_name}: ${effective.decision.mode}${origin}`)
}

/** `default` clears what was decided: a decision that has expired. */
function readMode(mode: string): { mode: Modes; expires_at?: string } {
  if (mode === 'default') return { mode: 'enabled', expires_at: PAST }
  const read = PolicyMode.safeParse(mode)
  if (!read.success) throw new Error(`${mode} is no mode. Use ${[...PolicyMode.options, 'default'].join(', ')}.`)
  return { mode: read.data }
}

async function remove(name: string, options: ConnectionOptions): Promise<void> {
  const call = connect(options)
  const { registry } = await chooseServer(call, name)
  const done = await call(deleteConnectorServer, { params: { serverId: registry.server_id } })
  printResult(options, done, () => `Removed ${registry.server_id}.`)
}
