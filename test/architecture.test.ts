import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')

interface Room {
  /** Rooms and files it may import from, as path prefixes. */
  readonly may: readonly string[]
  readonly why: string
  /** Packages and Node modules it must not touch. */
  readonly never?: readonly string[]
}

const io = [
  'node:fs',
  'node:net',
  'node:http',
  'node:child_process',
  'node:timers',
  'fastify',
  'better-sqlite3',
]

/** The house's borders. The first room whose prefix fits a file rules it. */
const rooms: Record<string, Room> = {
  'contracts/': {
    may: ['contracts/'],
    why: 'a contract is all a client may know; it must load in a browser',
    never: [...io, 'node:'],
  },
  'src/domain/': {
    may: ['contracts/', 'src/domain/', 'src/store/', 'src/devices/screen/', 'src/failure.ts'],
    why: 'it decides; it does no I/O and has no clock of its own',
    never: io,
  },
  'src/store/': {
    may: ['contracts/', 'src/store/'],
    why: 'it remembers; it knows nothing of those who ask',
    never: ['fastify', 'node:net', 'node:http', 'node:child_process'],
  },
  'src/jobs/': {
    may: ['contracts/', 'src/jobs/', 'src/domain/', 'src/store/', 'src/failure.ts'],
    why: 'it carries work from rows to hands and results back to the domain',
    never: ['fastify', 'node:fs', 'node:net'],
  },
  'src/devices/screen/': {
    may: ['contracts/', 'src/devices/screen/'],
    why: 'it reads a dump; it never asks for one',
    never: io,
  },
  'src/devices/': {
    may: ['contracts/', 'src/devices/'],
    why: 'hands act on phones and never see the database',
    never: ['better-sqlite3', 'fastify'],
  },
  'src/phone/': {
    may: ['src/phone/', 'contracts/'],
    why: 'the simulated phone stands in for hardware: it shares nothing with what drives it',
    never: ['better-sqlite3', 'fastify'],
  },
  'src/files/': {
    may: ['contracts/', 'src/files/'],
    why: 'hands keep bytes on disk and never see the database',
    never: ['better-sqlite3', 'fastify'],
  },
  'src/processes/': {
    may: ['contracts/', 'src/processes/'],
    why: 'hands start and end programs and never see the database',
    never: ['better-sqlite3', 'fastify'],
  },
  'src/floor/': {
    may: [
      'contracts/',
      'src/floor/',
      'src/devices/',
      'src/phone/',
      'src/files/',
      'src/processes/',
      'src/jobs/',
      'src/domain/',
      'src/store/',
      'src/failure.ts',
      'src/config.ts',
    ],
    why: 'here the hands on phones meet the lanes and the ledger',
    never: ['fastify'],
  },
  'src/live/': {
    may: ['contracts/', 'src/live/', 'src/store/'],
    why: 'it tells what is committed; it changes nothing',
  },
  'src/projections/': {
    may: ['contracts/', 'src/projections/', 'src/store/', 'src/domain/'],
    why: 'it mirrors what is committed into files',
    never: ['fastify'],
  },
  'src/http/': {
    may: ['contracts/', 'src/http/', 'src/store/', 'src/domain/', 'src/live/', 'src/failure.ts'],
    why: 'it holds what every route shares, and no route of its own',
  },
  'src/routes/': {
    may: [
      'contracts/',
      'src/routes/',
      'src/http/',
      'src/domain/',
      'src/store/',
      'src/live/',
      'src/failure.ts',
      'src/system.ts',
      'src/paths.ts',
      'src/version.ts',
    ],
    why: 'HTTP in, one call, HTTP out',
    never: ['better-sqlite3', 'node:net', 'node:child_process'],
  },
  'src/commands/': {
    may: ['contracts/', 'src/'],
    why: 'a command puts the parts together for one run of the program',
  },
}

const files = ['contracts', 'src'].flatMap((folder) => sources(join(root, folder)))

test('every import stays inside its border', () => {
  const crossings = files.flatMap((file) => {
    const [name, room] = roomOf(file)
    if (room === undefined) return []
    return importsOf(file)
      .filter((target) => forbidden(target, room))
      .map((target) => `${file} -> ${target}: ${name} ${room.why}`)
  })
  expect(crossings).toEqual([])
})

test('only types of the whole system reach a route', () => {
  const values = files
    .filter((file) => file.startsWith('src/routes/'))
    .filter((file) =>
      /^import (?!type )[^'"]*from '[./]+\/system\.ts'/m.test(
        readFileSync(join(root, file), 'utf8'),
      ),
    )
  expect(values).toEqual([])
})

test('every room of the table exists and has something in it', () => {
  const empty = Object.keys(rooms).filter((name) => !files.some((file) => file.startsWith(name)))
  expect(empty).toEqual([])
})

test('every folder of src is a room of the table', () => {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `src/${entry.name}/`)
  const outside = ['src/setup/', 'src/dashboard/', 'src/agent-skills/']
  expect(folders.filter((folder) => !(folder in rooms) && !outside.includes(folder))).toEqual([])
})

test('no drawer for odds and ends', () => {
  const drawers = files.filter((file) =>
    /\/(utils?|helpers?|services|common|types)(\/|\.ts$)/.test(file),
  )
  expect(drawers).toEqual([])
})

test('only the configuration reads the environment', () => {
  const readers = files.filter((file) =>
    /process\.env/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(readers).toEqual(['src/config.ts'])
})

test('the superseded names are gone from the tree', () => {
  const superseded = /\b(TeachSession|LearnEntryPoint|entryPointSchema|teaching_sessions)\b/
  expect(files.filter((file) => superseded.test(readFileSync(join(root, file), 'utf8')))).toEqual(
    [],
  )
})

function roomOf(file: string): [string, Room] | ['', undefined] {
  const name = Object.keys(rooms).find((prefix) => file.startsWith(prefix))
  const room = name === undefined ? undefined : rooms[name]
  return name === undefined || room === undefined ? ['', undefined] : [name, room]
}

function forbidden(target: string, room: Room): boolean {
  if (target.startsWith('contracts/') || target.startsWith('src/')) {
    return !room.may.some((prefix) => target.startsWith(prefix))
  }
  return (room.never ?? []).some(
    (name) => target === name || target.startsWith(name.endsWith(':') ? name : `${name}/`),
  )
}

/** Relative imports as paths from the root, others as they are written. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const written = [
    ...text.matchAll(/(?:^|\n)(?:import|export)[^'"\n]*(?:\n[^'"\n]*)*?from '([^']+)'/g),
  ]
  const dynamic = [...text.matchAll(/import\('([^']+)'\)/g)]
  return [...written, ...dynamic].map((match) => {
    const target = match[1] ?? ''
    if (!target.startsWith('.')) return target
    const path = resolve(root, dirname(file), target)
    if (!existsSync(path)) throw new Error(`${file} imports ${target}, which does not exist`)
    return relative(root, path)
  })
}

function sources(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return sources(path)
    return path.endsWith('.ts') ? [relative(root, path)] : []
  })
}
