import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { z } from 'zod'
import { packageRoot } from './paths.ts'

/** Rules an operator may set in `<home>/settings.json`. */
export const Settings = z.strictObject({
  learn: z
    .strictObject({
      /** Which states hold a user's one slot: all but the settled ones, or literally all but the terminal ones. */
      concurrency: z.enum(['settled', 'literal']).default('settled'),
      adapters_max_phase: z.union([z.literal(1), z.literal(2), z.literal(3)]).default(1),
    })
    .prefault({}),
  skills: z
    .strictObject({
      /** Variables of the daemon's own environment that scripts of skills may know beside the usual ones. */
      environment: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/)).default([]),
      /** Further folders with `skills/skills-registry.json` in them; the home itself is always the first. */
      roots: z.array(z.string().min(1)).max(50).default([]),
      /** Words that must not be in a skill or a recipe, one per line. */
      blocked_terms_file: z.string().min(1).default('blocked-terms.txt'),
    })
    .prefault({}),
  /** From this moment the retired routes answer 410. */
  deprecated_routes_sunset_at: z.iso.datetime().default('2027-05-16T00:00:00.000Z'),
  limits: z
    .strictObject({
      requests_per_second: z.number().positive().default(200),
      request_burst: z.number().positive().default(1000),
      streams_per_token: z.int().positive().default(64),
      /** A reader that lets more than this pile up is cut off; it may come back with its last id. */
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
  APPRENTICE_LOG: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info'),
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
})

export interface Config {
  readonly home: string
  readonly host: string
  readonly port: number
  readonly token: string | undefined
  readonly log: z.infer<typeof Environment>['APPRENTICE_LOG']
  /** `none` cannot be asked for from outside: it is for tests that need no device. */
  readonly phone: 'auto' | 'simulated' | 'adb' | 'none'
  readonly simApps: string | undefined
  readonly adb: { readonly host: string; readonly port: number }
  readonly workspace: string
  readonly sync: 'full' | 'normal'
  /** Further folders with `skills/` in them, beside those of the settings. */
  readonly skillRoots: readonly string[]
  /** Stands in for the agent every orchestrated skill names. */
  readonly skillAgent: string | undefined
  readonly settings: Settings
}

/** What is wrong with the environment, in words for the person who set it. */
export class ConfigProblem extends Error {}

export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  // An empty variable is an unset one, as in a compose file that passes it through.
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const read = Environment.safeParse(set)
  if (!read.success) throw new ConfigProblem(describe(read.error))
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
    settings: readSettings(join(home, 'settings.json')),
  })
}

/** A checkout keeps its data beside the code; an installed package must not. */
function defaultHome(): string {
  const checkout = existsSync(join(packageRoot, 'src', 'config.ts'))
  return checkout ? join(packageRoot, 'memory-store') : join(homedir(), '.apprentice')
}

function parseSocket(socket: string): { host: string; port: number } {
  const [, first = '', second] = socket.split(':')
  return second === undefined
    ? { host: '127.0.0.1', port: Number(first) }
    : { host: first, port: Number(second) }
}

function readSettings(file: string): Settings {
  if (!existsSync(file)) return Settings.parse({})
  let document: unknown
  try {
    document = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    throw new ConfigProblem('settings.json is not JSON.')
  }
  const read = Settings.safeParse(document)
  if (!read.success) throw new ConfigProblem(`settings.json: ${describe(read.error)}`)
  return read.data
}

const describe = (error: z.ZodError): string =>
  error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')

/** The folders skills are in; a relative one lies in the home. */
export const skillRoots = ({
  home,
  settings,
  skillRoots: more,
}: Pick<Config, 'home' | 'settings' | 'skillRoots'>): string[] => [
  home,
  ...[...settings.skills.roots, ...more].map((root) => resolve(home, root)),
]

export const blockedTermsFile = ({ home, settings }: Pick<Config, 'home' | 'settings'>): string =>
  resolve(home, settings.skills.blocked_terms_file)

/** Where programs are looked for. */
export const searchPath = (env: NodeJS.ProcessEnv = process.env): string => env['PATH'] ?? ''

/** What programs the daemon starts may know of its surroundings; nothing else is handed on. */
const handedOn = [
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

export const programEnvironment = (
  more: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Record<string, string> =>
  Object.fromEntries(
    [...handedOn, ...more].flatMap((name) => {
      const value = env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** Where an agent keeps its own things, if it was told so. */
export const codexHome = (env: NodeJS.ProcessEnv = process.env): string | undefined =>
  env['CODEX_HOME']
