import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { findCycles, listImports, listSources, readImportGraph, toFolderGraph } from './kit/source-tree.ts'
import { findRetiredNames } from './kit/retired-names.ts'

const root = resolve(import.meta.dirname, '..')

interface Room {
  /** Rooms it may import from besides itself, as path prefixes. */
  readonly may: readonly string[]
  readonly why: string
  /** Packages and Node modules it must not import. */
  readonly never?: readonly string[]
}

const IO = ['node:fs', 'node:net', 'node:http', 'node:child_process', 'node:timers', 'fastify', 'better-sqlite3']

/** The rooms of the source tree and what each may import. The longest prefix that fits a file applies. */
const ROOMS: Readonly<Record<string, Room>> = {
  'contracts/': {
    may: [],
    why: 'clients, also browsers, load contracts without the daemon',
    never: [...IO, 'node:'],
  },
  'src/failure/': { may: ['contracts/'], why: 'a failure is a code of the contract and a message' },
  'src/timing/': { may: [], why: 'pauses and backoff are independent of their callers' },
  'src/traces/': { may: [], why: 'any room may be measured, and none has to know how' },
  'src/config/': { may: ['contracts/'], why: 'configuration is read before anything else exists' },
  'src/home/': {
    may: [],
    why: 'every room that writes files of the home creates them here',
    never: ['fastify'],
  },
  'src/screen/': {
    may: ['contracts/'],
    why: 'it reads a UI tree that it is given and never asks a device for one',
    never: IO,
  },
  'src/knowledge/': {
    may: ['contracts/', 'src/screen/', 'src/failure/'],
    why: 'pure functions: no store, no transaction, no I/O, no clock',
    never: IO,
  },
  'src/store/': {
    may: ['contracts/', 'src/knowledge/', 'src/failure/'],
    why: 'it stores rows; knowledge only defines the types of JSON columns; a full disk is a failure of the catalogue',
    never: ['fastify', 'node:net', 'node:http', 'node:child_process'],
  },
  'src/domain/': {
    may: ['contracts/', 'src/screen/', 'src/knowledge/', 'src/store/', 'src/failure/'],
    why: 'decisions over state: synchronous, no I/O, no clock of its own',
    never: IO,
  },
  'src/jobs/': {
    may: ['contracts/', 'src/screen/', 'src/knowledge/', 'src/store/', 'src/domain/', 'src/failure/', 'src/traces/'],
    why: 'it moves work from job rows to ports and results back to the domain',
    never: ['fastify', 'node:fs', 'node:net'],
  },
  'src/devices/': {
    may: ['contracts/', 'src/screen/', 'src/timing/', 'src/knowledge/steps/'],
    why: 'drivers act on phones and never use the database; recorders produce observed steps',
    never: ['better-sqlite3', 'fastify'],
  },
  'src/device-hosts/': {
    may: ['contracts/', 'src/screen/', 'src/devices/', 'src/config/'],
    why: 'daemon and host carry executions to devices of other machines; what they mean is stored by the daemon alone',
    never: ['better-sqlite3', 'fastify'],
  },
  'src/phone/': {
    may: [],
    why: 'the simulated phone replaces hardware: it shares no code with what drives it',
    never: ['better-sqlite3', 'fastify'],
  },
  'src/files/': {
    may: ['contracts/', 'src/home/'],
    why: 'file storage never uses the database',
    never: ['better-sqlite3', 'fastify'],
  },
  'src/processes/': {
    may: ['contracts/', 'src/home/'],
    why: 'it starts and ends programs and never uses the database',
    never: ['better-sqlite3', 'fastify'],
  },
  'src/documents/': {
    may: ['contracts/', 'src/knowledge/', 'src/files/', 'src/home/', 'src/processes/'],
    why: 'it reads documents with programs and never uses the database',
    never: ['better-sqlite3', 'fastify', 'node:net'],
  },
  'src/connectors/': {
    may: ['contracts/', 'src/knowledge/connectors/', 'src/knowledge/m365/'],
    why: 'it connects to servers and never uses the database',
    never: ['better-sqlite3', 'fastify'],
  },
  'src/connector-runtime/': {
    may: [
      'contracts/',
      'src/connectors/',
      'src/knowledge/',
      'src/domain/',
      'src/store/',
      'src/jobs/',
      'src/files/',
      'src/home/',
      'src/failure/',
    ],
    why: 'connections to servers meet the store here',
    never: ['fastify'],
  },
  'src/browser/': {
    may: ['contracts/', 'src/home/'],
    why: 'it runs scripts in pages of other systems and never uses the database',
    never: ['better-sqlite3', 'fastify'],
  },
  'src/scene-runtime/': {
    may: [
      'contracts/',
      'src/browser/',
      'src/knowledge/',
      'src/skill-runtime/',
      'src/workers/',
      'src/files/',
      'src/home/',
      'src/jobs/',
      'src/domain/',
      'src/store/',
      'src/failure/',
      'src/config/',
    ],
    why: 'runs of scenes meet the browser, files and the store here',
    never: ['fastify'],
  },
  'src/live/': { may: ['contracts/', 'src/store/'], why: 'it delivers committed events' },
  'src/projections/': {
    may: ['contracts/', 'src/knowledge/', 'src/store/', 'src/domain/', 'src/timing/', 'src/home/'],
    why: 'it writes committed state to files',
    never: ['fastify'],
  },
  'src/http/': {
    may: ['contracts/', 'src/knowledge/', 'src/store/', 'src/domain/', 'src/live/', 'src/failure/', 'src/traces/'],
    why: 'it holds what all routes share and no route of its own',
  },
  'src/workers/': {
    may: [
      'contracts/',
      'src/screen/',
      'src/knowledge/',
      'src/devices/recording/',
      'src/files/',
      'src/http/strict-json.ts',
      'src/http/invalid-request.ts',
      'src/failure/',
      'src/config/',
    ],
    why: 'workers compute; they have no database, no devices and no server',
    never: ['better-sqlite3', 'fastify', 'node:net'],
  },
  'src/device-runtime/': {
    may: [
      'contracts/',
      'src/screen/',
      'src/knowledge/',
      'src/devices/',
      'src/device-hosts/',
      'src/timing/',
      'src/phone/',
      'src/files/',
      'src/jobs/',
      'src/domain/',
      'src/store/',
      'src/failure/',
      'src/config/',
    ],
    why: 'executions meet devices, evidence and the store here',
    never: ['fastify'],
  },
  'src/skill-runtime/': {
    may: [
      'contracts/',
      'src/knowledge/',
      'src/device-runtime/',
      'src/files/',
      'src/processes/',
      'src/home/',
      'src/jobs/',
      'src/domain/',
      'src/store/',
      'src/failure/',
      'src/config/',
    ],
    why: 'skill runs meet files, processes and the store here',
    never: ['fastify'],
  },
  'src/daemon/': {
    may: [
      'contracts/',
      'src/connector-runtime/',
      'src/knowledge/',
      'src/device-runtime/',
      'src/skill-runtime/',
      'src/scene-runtime/',
      'src/projections/',
      'src/live/',
      'src/http/',
      'src/files/',
      'src/documents/',
      'src/home/',
      'src/jobs/',
      'src/workers/',
      'src/domain/',
      'src/store/',
      'src/traces/',
      'src/failure/',
      'src/config/',
    ],
    why: 'it starts the parts in order and stops them in reverse',
  },
  'src/mcp/': {
    may: ['contracts/', 'src/screen/'],
    why: 'its tools are clients of the API and can do nothing that a route cannot',
    never: ['better-sqlite3', 'node:fs', 'node:net', 'node:child_process'],
  },
  'src/routes/': {
    may: [
      'contracts/',
      'src/mcp/',
      'src/http/',
      'src/knowledge/',
      'src/domain/',
      'src/store/',
      'src/live/',
      'src/workers/',
      'src/failure/',
      'src/daemon/system.ts',
      'src/config/',
    ],
    why: 'HTTP in, one call, HTTP out',
    never: ['better-sqlite3', 'node:net', 'node:child_process'],
  },
  'src/server/': {
    may: [
      'contracts/',
      'src/routes/',
      'src/http/',
      'src/daemon/',
      'src/device-runtime/',
      'src/failure/',
      'src/config/',
    ],
    why: 'it builds the Fastify instance from guards and routes',
  },
  'src/commands/': {
    may: ['contracts/', 'src/'],
    why: 'a command assembles the parts for one run of the program',
  },
  'src/main.ts': { may: ['src/commands/', 'src/config/'], why: 'it registers the commands' },
}

/** Folders of the domain, lowest first. A folder may import only from folders before it. */
const DOMAIN_ORDER = [
  'command',
  'categories',
  'policies',
  'devices',
  'abilities',
  'projects',
  'connectors',
  'documents',
  'capabilities',
  'intents',
  'sessions',
  'capture',
  'proposals',
  'skill-import/record',
  'validation',
  'runs',
  'review',
  'install',
  'learn',
  'practice',
  'mining',
  'skill-import',
  'scene-generation',
  'skill-runs',
  'scenes',
  'retired-routes',
]

const graph = readImportGraph(root, ['contracts', 'src'])
const files = [...graph.keys()]

test('every import is allowed by the table of rooms', () => {
  const crossings = files.flatMap((file) => {
    const [name, room] = findRoom(file)
    return listImports(root, file)
      .filter((target) => isForbidden(target, name, room))
      .map((target) => `${file} -> ${target}: ${name} ${room.why}`)
  })
  expect(crossings).toEqual([])
})

test('no files import each other in a cycle, type imports included', () => {
  expect(findCycles(graph)).toEqual([])
})

test('no folders import each other in a cycle, type imports included', () => {
  expect(findCycles(toFolderGraph(graph))).toEqual([])
})

test('every folder of the domain has a place in the written order and imports only lower ones', () => {
  const problems = files
    .filter((file) => file.startsWith('src/domain/'))
    .flatMap((file) => {
      const own = findDomainRank(file)
      if (own === -1) return [`${file} is in no folder of the order`]
      return (graph.get(file) ?? [])
        .filter((target) => target.startsWith('src/domain/') && findDomainRank(target) > own)
        .map((target) => `${file} -> ${target}`)
    })
  expect(problems).toEqual([])
})

test('every room of the table has files, and every folder of src is a room', () => {
  const empty = Object.keys(ROOMS).filter((name) => !files.some((file) => file.startsWith(name)))
  expect(empty).toEqual([])
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `src/${entry.name}/`)
  const untyped = ['src/setup/', 'src/dashboard/', 'src/agent-skills/', 'src/scenes/']
  expect(folders.filter((name) => !(name in ROOMS) && !untyped.includes(name))).toEqual([])
})

test('routes import only types of the system', () => {
  const values = files
    .filter((file) => file.startsWith('src/routes/'))
    .filter((file) => /^import (?!type )[^'"]*from '[./]+\/system\.ts'/m.test(readSource(file)))
  expect(values).toEqual([])
})

test('no folder or file is named utils, helpers, services, common or types', () => {
  const names = /\/(utils?|helpers?|services|common|types)(\/|\.ts$)/
  expect(files.filter((file) => names.test(file))).toEqual([])
})

test('only the configuration reads the environment', () => {
  const readers = files.filter((file) => /process\.env/.test(readSource(file)))
  expect(readers).toEqual(['src/config/config.ts'])
})

test('only the room of the home creates files; commands also write where a person says', () => {
  const creating = /\b(mkdir|mkdtemp|open|openSync|copyFile|appendFile|writeFile|createWriteStream|chmod)(Sync)?\b/
  const creators = files.filter((file) =>
    [...readSource(file).matchAll(/^import \{([^}]*)\} from 'node:fs(?:\/promises)?'/gm)].some(([, names = '']) =>
      creating.test(names),
    ),
  )
  const READERS = [
    'src/files/zip-source.ts',
    'src/projections/engine/compare.ts',
    'src/projections/engine/projection-files.ts',
  ]
  const outside = creators.filter((file) => !/^src\/(home|commands|phone)\//.test(file))
  expect(outside.toSorted()).toEqual(READERS)
})

test('no identifier uses a retired name', () => {
  const tests = listSources(root, 'test')
  const found = [...files, ...tests].flatMap((file) =>
    findRetiredNames(readSource(file)).map((name) => `${file}: ${name}`),
  )
  expect(found).toEqual([])
})

function findRoom(file: string): [string, Room] {
  const name = Object.keys(ROOMS)
    .filter((prefix) => file.startsWith(prefix))
    .toSorted((a, b) => b.length - a.length)[0]
  const room = name === undefined ? undefined : ROOMS[name]
  if (name === undefined || room === undefined) throw new Error(`${file} is in no room`)
  return [name, room]
}

function isForbidden(target: string, name: string, room: Room): boolean {
  if (target.startsWith('contracts/') || target.startsWith('src/')) {
    return ![name, ...room.may].some((prefix) => target.startsWith(prefix))
  }
  return (room.never ?? []).some(
    (known) => target === known || target.startsWith(known.endsWith(':') ? known : `${known}/`),
  )
}

function findDomainRank(file: string): number {
  const path = file.slice('src/domain/'.length)
  const folder = DOMAIN_ORDER.filter((name) => path.startsWith(`${name}/`)).toSorted((a, b) => b.length - a.length)[0]
  return folder === undefined ? -1 : DOMAIN_ORDER.indexOf(folder)
}

function readSource(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
