import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { z } from 'zod'
import { M365OperationFamily } from '@apprentice/contracts/connectors/m365-families.ts'
import { Scope } from '@apprentice/contracts/connectors/values.ts'
import { packageRoot, scenesFolder } from './paths.ts'
import { parseRedisAddress, type RedisAddress } from './redis-address.ts'

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** An address that tokens may be sent to: https, or this machine. */
const serviceUrl = z
  .url({ protocol: /^https?$/ })
  .max(2000)
  .refine((url) => {
    const { protocol, hostname, search, hash } = new URL(url)
    const isOwnMachine = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
    return (protocol === 'https:' || isOwnMachine) && search === '' && hash === ''
  }, 'must begin with https://')

/** Settings an operator may change in `<home>/settings.json`. */
export const Settings = z.strictObject({
  learn: z
    .strictObject({
      /** Which states occupy a user's session slot: all but the settled ones, or all but the terminal ones. */
      concurrency: z.enum(['settled', 'literal']).default('settled'),
      adapters_max_phase: z.union([z.literal(1), z.literal(2), z.literal(3)]).default(1),
    })
    .prefault({}),
  skills: z
    .strictObject({
      /** Further variables of the daemon's environment that are passed to skill scripts. */
      environment: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/)).default([]),
      /** Further folders that contain `skills/skills-registry.json`. The home is always the first. */
      roots: z.array(z.string().min(1)).max(50).default([]),
      /** Skills whose contained scripts may use the network. All others reach the daemon only. */
      network: z.array(z.string().min(1)).default([]),
      /** Further folders that contained scripts may read. */
      readable: z.array(z.string().startsWith('/', 'must be an absolute path')).default([]),
      /** Digests of foreign skills whose scripts may run where scripts cannot be contained. */
      uncontained: z.array(z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 digest')).default([]),
      /** The user ids, first and last, of which each script gets one where bubblewrap is missing and the daemon is root. */
      user_ids: z
        .tuple([z.int().min(1000), z.int().max(4_000_000_000)])
        .nullable()
        .default([60_200, 60_399]),
      /** A file of terms that must not occur in a skill or a recipe, one per line. */
      blocked_terms_file: z.string().min(1).default('blocked-terms.txt'),
    })
    .prefault({}),
  scenes: z
    .strictObject({
      /** Further folders of scene packages. `skills/` of every skill root is always read. */
      roots: z.array(z.string().min(1)).max(50).default([]),
      /** Whether the scenes that come with the program are registered. */
      samples: z.boolean().default(true),
      /** The time zone of periods such as "last month". By default that of the system. */
      time_zone: z.string().refine(isTimeZone, 'must be an IANA time zone such as Asia/Shanghai').optional(),
    })
    .prefault({}),
  connectors: z
    .strictObject({
      /** Hosts of private networks that connector servers may be on. */
      allowed_hosts: z.array(z.string().min(1).max(253)).max(200).default([]),
      /** The address of a document about this client, for authorization servers that accept one as its id. */
      client_metadata_url: z
        .url({ protocol: /^https$/ })
        .max(2000)
        .optional(),
      /** Programs that speak MCP over their input and output, by the `display_name` of the server that uses them. */
      bridges: z
        .record(
          z.string().min(1).max(160),
          z.strictObject({
            command: z.string().min(1),
            args: z.array(z.string()).max(100).default([]),
            env: z.record(z.string(), z.string()).default({}),
          }),
        )
        .default({}),
      m365: z
        .strictObject({
          /** The address of Microsoft Graph with its version. Servers with an address of their own use that. */
          graph_url: serviceUrl.default('https://graph.microsoft.com/v1.0'),
          /** Where people and services sign in. */
          login_url: serviceUrl.default('https://login.microsoftonline.com'),
          /** Scopes that replace the minimum of an operation, because the tenant approved fewer. */
          approved_scopes: z.partialRecord(M365OperationFamily, z.array(Scope).min(1).max(20)).default({}),
        })
        .prefault({}),
    })
    .prefault({}),
  hosts: z
    .strictObject({
      /** A device host that is silent for longer is lost, and what it ran is interrupted. */
      lost_after_ms: z.int().min(500).max(120_000).default(5000),
    })
    .prefault({}),
  /** From this time on the retired routes answer 410. */
  deprecated_routes_sunset_at: z.iso.datetime().default('2027-05-16T00:00:00.000Z'),
  limits: z
    .strictObject({
      requests_per_second: z.number().positive().default(200),
      request_burst: z.number().positive().default(1000),
      streams_per_user: z.int().positive().default(64),
      /** A client with more unsent bytes than this is disconnected. It may reconnect with its last id. */
      stream_buffer_bytes: z.int().positive().default(1_048_576),
      stream_keepalive_ms: z.int().positive().default(30_000),
      body_bytes: z.int().positive().default(1_048_576),
    })
    .prefault({}),
})
export type Settings = z.infer<typeof Settings>

const programName = z.string().regex(/^[A-Za-z0-9._+-]+$/, 'must be the name of a program')

const Environment = z.object({
  APPRENTICE_HOME: z.string().min(1).optional(),
  APPRENTICE_HOST: z.string().min(1).default('127.0.0.1'),
  APPRENTICE_PORT: z.coerce.number().int().min(0).max(65_535).default(4870),
  APPRENTICE_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  APPRENTICE_LOG: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  APPRENTICE_PHONE: z.enum(['auto', 'simulated', 'adb']).default('auto'),
  APPRENTICE_SIM_APPS: z.string().min(1).optional(),
  ADB_SERVER_SOCKET: z
    .string()
    .regex(/^tcp:(?:[^:]+:)?\d{1,5}$/, 'must look like tcp:host:port')
    .default('tcp:127.0.0.1:5037'),
  OPENCLAW_WORKSPACE: z.string().min(1).optional(),
  APPRENTICE_SYNC: z.enum(['full', 'normal']).default('full'),
  APPRENTICE_SKILLS: z.string().min(1).optional(),
  APPRENTICE_SKILL_AGENT_CLI: programName.optional(),
  CLAWPERATOR_SKILL_AGENT_CLI: programName.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  APPRENTICE_REDIS: z
    .string()
    .transform(parseRedisAddress)
    .refine((address) => address !== undefined, 'must look like rediss://user:password@host:6379/0?prefix=apprentice')
    .optional(),
})

export interface Config {
  readonly home: string
  readonly host: string
  readonly port: number
  readonly token: string | undefined
  readonly log: z.infer<typeof Environment>['APPRENTICE_LOG']
  /** `none` cannot be set from outside. It is for tests without a device. */
  readonly phone: 'auto' | 'simulated' | 'adb' | 'none'
  readonly simApps: string | undefined
  readonly adb: { readonly host: string; readonly port: number }
  readonly workspace: string
  readonly sync: 'full' | 'normal'
  /** Further folders that contain `skills/`, in addition to those of the settings. */
  readonly skillRoots: readonly string[]
  /** Replaces the agent program that orchestrated skills name. */
  readonly skillAgent: string | undefined
  /** Where traces are sent. Absent: there are none. */
  readonly tracesEndpoint: string | undefined
  /** Through which device hosts are reached. Absent: there are none. */
  readonly redis: RedisAddress | undefined
  readonly settings: Settings
}

/** Invalid configuration. The message is for the person who set it. */
export class ConfigError extends Error {}

export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  // An empty variable counts as unset: compose files pass unset variables as empty ones.
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const read = Environment.safeParse(set)
  if (!read.success) throw new ConfigError(formatIssues(read.error))
  const values = read.data
  const home = resolve(values.APPRENTICE_HOME ?? defaultHome())
  return Object.freeze({
    home,
    host: values.APPRENTICE_HOST,
    port: values.APPRENTICE_PORT,
    token: values.APPRENTICE_TOKEN,
    log: values.APPRENTICE_LOG,
    phone: values.APPRENTICE_PHONE,
    simApps: values.APPRENTICE_SIM_APPS,
    adb: parseSocket(values.ADB_SERVER_SOCKET),
    workspace: values.OPENCLAW_WORKSPACE ?? join(home, 'workspace'),
    sync: values.APPRENTICE_SYNC,
    skillRoots: values.APPRENTICE_SKILLS?.split(delimiter) ?? [],
    skillAgent: values.APPRENTICE_SKILL_AGENT_CLI ?? values.CLAWPERATOR_SKILL_AGENT_CLI,
    tracesEndpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    redis: values.APPRENTICE_REDIS,
    settings: readSettings(join(home, 'settings.json')),
  })
}

/** Reads the configuration and removes its secrets from the environment, so that programs do not inherit them. */
export function takeConfig(): Config {
  const config = readConfig()
  delete process.env['APPRENTICE_TOKEN']
  delete process.env['APPRENTICE_REDIS']
  return config
}

/** Reads the token of a device host and removes it from the environment. */
export function takeHostToken(): string | undefined {
  const token = process.env['APPRENTICE_HOST_TOKEN']
  delete process.env['APPRENTICE_HOST_TOKEN']
  return token === '' ? undefined : token
}

/** A checkout keeps its data beside the code. An installed package has no `src/config` and must not. */
function defaultHome(): string {
  const checkout = existsSync(join(packageRoot, 'src', 'config'))
  return checkout ? join(packageRoot, 'memory-store') : join(homedir(), '.apprentice')
}

function parseSocket(socket: string): { host: string; port: number } {
  const [, first = '', second] = socket.split(':')
  return second === undefined ? { host: '127.0.0.1', port: Number(first) } : { host: first, port: Number(second) }
}

function readSettings(file: string): Settings {
  if (!existsSync(file)) return Settings.parse({})
  const document = parseSettings(readSettingsFile(file))
  const read = Settings.safeParse(document)
  if (!read.success) throw new ConfigError(`settings.json: ${formatIssues(read.error)}`)
  return read.data
}

function readSettingsFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError(`${file} cannot be read (${code}).`)
  }
}

function parseSettings(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ConfigError('settings.json is not valid JSON.')
  }
}

const formatIssues = (error: z.ZodError): string =>
  error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')

/** The absolute folders of skills. A relative one is relative to the home. */
export const resolveSkillRoots = ({
  home,
  settings,
  skillRoots: more,
}: Pick<Config, 'home' | 'settings' | 'skillRoots'>): string[] => [
  home,
  ...[...settings.skills.roots, ...more].map((root) => resolve(home, root)),
]

/** The folders of scene packages: that of the program, `skills/` of each skill root, and the configured ones. */
export function resolveSceneRoots(
  config: Pick<Config, 'home' | 'settings' | 'skillRoots'>,
): { readonly root: string; readonly packages: string }[] {
  const { samples, roots } = config.settings.scenes
  const further = roots.map((root) => resolve(config.home, root))
  return [
    ...(samples ? [{ root: scenesFolder, packages: '' }] : []),
    ...[...new Set(resolveSkillRoots(config))].map((root) => ({ root, packages: 'skills' })),
    ...[...new Set(further)].map((root) => ({ root, packages: '' })),
  ]
}

export const readTimeZone = ({ settings }: Pick<Config, 'settings'>): string =>
  settings.scenes.time_zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone

export const resolveBlockedTermsFile = ({ home, settings }: Pick<Config, 'home' | 'settings'>): string =>
  resolve(home, settings.skills.blocked_terms_file)

/** The search path for programs. */
export const readSearchPath = (env: NodeJS.ProcessEnv = process.env): string => env['PATH'] ?? ''

/** Whether programs that are started here can show a window. */
export const hasDisplay = (env: NodeJS.ProcessEnv = process.env, platform = process.platform): boolean =>
  platform !== 'linux' || Boolean(env['DISPLAY'] ?? env['WAYLAND_DISPLAY'])

/** The variables that programs started by the daemon inherit. All others are removed. */
const PASSED_VARIABLES = [
  'CODEX_HOME',
  'HOME',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'LOGNAME',
  'NO_COLOR',
  'PATH',
  'SHELL',
  'TERM',
  'TZ',
  'USER',
]

export const buildProgramEnvironment = (
  more: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Record<string, string> =>
  Object.fromEntries(
    [...PASSED_VARIABLES, ...more].flatMap((name) => {
      const value = env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** The configured home of the codex agent, if any. */
export const readCodexHome = (env: NodeJS.ProcessEnv = process.env): string | undefined => env['CODEX_HOME']
