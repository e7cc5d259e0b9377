import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeAll, afterAll, expect, test } from 'vitest'
import { backup } from '../../src/commands/backup/backup.ts'
import { BackupInvalid } from '../../src/commands/backup/manifest.ts'
import { restore } from '../../src/commands/backup/restore.ts'
import { DatabaseLost } from '../../src/daemon/database-loss.ts'
import { HomeLocked } from '../../src/home/home-lock.ts'
import { readGeneration } from '../../src/home/generation.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { browserPath } from '../scenes/page-scene.ts'
import { listModes, startFilledDaemon } from './filled-home.ts'

const NOW = '2026-03-02T00:00:00.000Z'
const folders: string[] = []
let original: Daemon
let saved: string
let savedWithSecrets: string

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-restore-'))
  folders.push(folder)
  return folder
}

const ends: (() => void | Promise<void>)[] = []
beforeAll(async () => {
  original = (await startFilledDaemon({ whenOver: (end) => ends.push(end) })).daemon
  saved = createFolder()
  await backup(original.home, saved, { withSecrets: false })
  savedWithSecrets = createFolder()
  await backup(original.home, savedWithSecrets, { withSecrets: true })
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Where the values of a parameter of a path come from. */
const PARAMETERS: Readonly<Record<string, string>> = {
  documentRef: 'SELECT document_ref FROM documents',
  operationId: 'SELECT operation_id FROM document_operations',
  abilityId: 'SELECT ability_id FROM abilities',
  applicationId: "SELECT 'com.example.app'",
  contentRef: 'SELECT content_id FROM connector_contents',
  categoryId: 'SELECT category_id FROM categories',
  dispatchId: 'SELECT dispatch_id FROM connector_dispatches',
  evidenceId: 'SELECT evidence_id FROM evidence',
  executionId: 'SELECT execution_id FROM executions',
  frameId: "SELECT 'none'",
  generationId: 'SELECT generation_id FROM scene_generations',
  indexFile: "SELECT 'manifest.json'",
  importId: 'SELECT import_id FROM skill_imports',
  intentId: 'SELECT intent_id FROM config_intents',
  name: 'SELECT DISTINCT name FROM draft_files',
  prefix: "SELECT '00'",
  projectId: 'SELECT project_id FROM project_bindings',
  proposalId: 'SELECT proposal_id FROM proposals',
  recordingId: 'SELECT recording_id FROM recordings',
  runId: 'SELECT run_id FROM ability_runs',
  sagaId: 'SELECT saga_id FROM install_sagas',
  sceneId: "SELECT 'filled-report'",
  serial: 'SELECT serial FROM devices',
  serverId: 'SELECT server_id FROM connector_servers',
  sessionId: 'SELECT learn_session_id FROM learn_sessions',
  skillId: "SELECT 'com.example.app.do-it'",
  version: 'SELECT DISTINCT CAST(version AS TEXT) FROM ability_versions',
}

/** Routes that are not compared, and why. */
const EXEMPT: Readonly<Record<string, string>> = {
  '/api/devices': 'the state of the phones',
  '/api/devices/{serial}': 'the state of the phone',
  '/metrics': 'figures of the process',
  '/readyz': 'the delay of the event loop',
  '/api/devices/{serial}/preparation': 'how screens were read since the start',
  '/api/devices/{serial}/report': 'how long readings take',
}

function listValues(daemon: Daemon, name: string): string[] {
  const query = PARAMETERS[name]
  if (query === undefined) throw new Error(`PARAMETERS has no ${name}.`)
  return daemon.system.store.read(({ db }) => db.prepare(query).pluck().all() as string[])
}

interface Document {
  paths: Record<string, { get?: { responses: Record<string, { content?: Record<string, unknown> }> } }>
}

/** The URLs of all GET routes, except streams, with every known id in every parameter. */
function listUrls(daemon: Daemon): string[] {
  const file = resolve(import.meta.dirname, '../../openapi/openapi.json')
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as Document
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const types = Object.keys(get?.responses['200']?.content ?? {})
    if (get === undefined || types.includes('text/event-stream') || path in EXEMPT) return []
    return fillPath(daemon, path)
  })
}

function fillPath(daemon: Daemon, path: string): string[] {
  const name = /\{(\w+)\}/.exec(path)?.[1]
  if (name === undefined) return [path]
  return listValues(daemon, name).flatMap((value) =>
    fillPath(daemon, path.replace(`{${name}}`, encodeURIComponent(value))),
  )
}

/** The reply to a GET request, with the path of the home replaced. */
async function readReply(daemon: Daemon, url: string): Promise<{ statusCode: number; body: unknown }> {
  const headers = { 'x-correlation-id': 'compare-replies' }
  const { statusCode, rawPayload, headers: sent } = await daemon.request({ method: 'GET', url, headers })
  const isJson = String(sent['content-type']).includes('json')
  const text = rawPayload.toString(isJson ? 'utf8' : 'base64').replaceAll(daemon.home, '<home>')
  return { statusCode, body: isJson && text.startsWith('{') && !text.includes('\n{') ? JSON.parse(text) : text }
}

test('a restored daemon answers every GET route like the original', async () => {
  const home = createFolder()
  // With the key of the vault, because results of connectors are in it.
  await restore(savedWithSecrets, home, { withSecrets: true, now: NOW })
  const restored = await startDaemon({ home, quick: true, config: { phone: 'simulated' } })
  await restored.waitForProjections()
  const urls = listUrls(original)
  const answered = new Set<string>()
  for (const url of urls) {
    const [before, after] = [await readReply(original, url), await readReply(restored, url)]
    expect(after, url).toEqual(before)
    if (before.statusCode === 200) answered.add(url)
  }
  expect(urls.length).toBeGreaterThan(100)
  expect(answered.size).toBeGreaterThan(urls.length * 0.6)
  const results = ['/connectors/calls/', '/documents/', '/scenes/filled-report', ...(browserPath ? ['/report'] : [])]
  for (const part of results) expect([...answered].filter((url) => url.includes(part))).not.toEqual([])
  expect([...listModes(home)].filter(([, mode]) => (mode & 0o077) !== 0)).toEqual([])
})

/** A copy of the backup that a test may damage. */
function copyBackup(): string {
  const folder = createFolder()
  cpSync(saved, folder, { recursive: true })
  return folder
}

const readManifest = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'backup.json'), 'utf8')) as { files: { path: string }[] }

function changeByte(file: string): void {
  const bytes = readFileSync(file)
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  writeFileSync(file, bytes)
}

const findEvidence = (folder: string): string =>
  join(folder, readManifest(folder).files.find(({ path }) => path.startsWith('evidence/'))?.path ?? '')

const DAMAGES: readonly (readonly [string, RegExp, (folder: string) => void])[] = [
  [
    'without a manifest',
    /has no backup\.json: it is no backup, or its copy was cut off\.$/,
    (folder) => rmSync(join(folder, 'backup.json')),
  ],
  [
    'with half a manifest',
    /backup\.json is not valid JSON/,
    (folder) => truncateSync(join(folder, 'backup.json'), 100),
  ],
  ['with a missing file', /^The backup lacks evidence\//, (folder) => rmSync(findEvidence(folder))],
  ['with a shorter file', /has \d+ bytes instead of \d+\.$/, (folder) => truncateSync(findEvidence(folder), 1)],
  [
    'with another byte in a file',
    /^evidence\/.* has changed since it was made\.$/,
    (folder) => changeByte(findEvidence(folder)),
  ],
  ['with another database', /^apprentice\.db of the backup has/, (folder) => changeByte(join(folder, 'apprentice.db'))],
  [
    'that names a file outside',
    /is invalid at files\.0\.path/,
    (folder) => {
      const manifest = readManifest(folder)
      writeFileSync(
        join(folder, 'backup.json'),
        JSON.stringify({ ...manifest, files: [{ ...manifest.files[0], path: '../x' }] }),
      )
    },
  ],
]

test.each(DAMAGES)('a backup %s is refused and replaces nothing', async (_name, message, damage) => {
  const folder = copyBackup()
  damage(folder)
  const home = createFolder()
  writeFileSync(join(home, 'settings.json'), '{}')
  const refusal = await restore(folder, home, { withSecrets: false, now: NOW }).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(BackupInvalid)
  expect((refusal as Error).message).toMatch(message)
  expect(readdirSync(home)).toEqual(['settings.json'])
})

test('a home in use is not replaced', async () => {
  await expect(restore(saved, original.home, { withSecrets: false, now: NOW })).rejects.toBeInstanceOf(HomeLocked)
  expect((await original.get('/api/categories')).body).toContain('Work')
  expect(existsSync(join(original.home, 'lost'))).toBe(false)
})

test('what was in a home is kept, and its old database is not accepted again', async () => {
  const home = createFolder()
  const before = await startDaemon({ home, projecting: true })
  await before.post('/api/categories', { title: 'Before' })
  await before.stop()
  const { aside } = await restore(saved, home, { withSecrets: false, now: NOW })
  expect(aside).toBe(join(home, 'lost', '2026-03-02T00-00-00.000Z'))
  expect(readdirSync(aside)).toEqual(expect.arrayContaining(['apprentice.db', 'system']))
  expect(readdirSync(home)).not.toContain('.restore')
  expect(readGeneration(home)?.generation).toBe(2)
  const restored = await startDaemon({ home })
  expect((await restored.get('/api/categories')).body).toContain('Work')
  expect((await restored.get('/api/categories')).body).not.toContain('Before')
  await restored.stop()
  cpSync(join(aside, 'apprentice.db'), join(home, 'apprentice.db'))
  await expect(startDaemon({ home })).rejects.toBeInstanceOf(DatabaseLost)
})

test('no daemon starts on a home whose restore did not end', async () => {
  const home = createFolder()
  await restore(saved, home, { withSecrets: false, now: NOW })
  // The last step moves the database to its place.
  rmSync(join(home, 'apprentice.db'))
  await expect(startDaemon({ home })).rejects.toBeInstanceOf(DatabaseLost)
  await restore(saved, home, { withSecrets: false, now: '2026-03-03T00:00:00.000Z' })
  const daemon = await startDaemon({ home })
  expect((await daemon.get('/api/categories')).body).toContain('Work')
})

test('secrets are copied and restored only on request', async () => {
  const home = createFolder()
  const daemon = await startDaemon({ home, config: { token: undefined } })
  await daemon.stop()
  const readToken = (folder: string) => readFileSync(join(folder, 'secrets', 'admin.token'), 'utf8')
  const [without, withThem, target] = [createFolder(), createFolder(), createFolder()]
  await backup(home, without, { withSecrets: false })
  expect(existsSync(join(without, 'secrets'))).toBe(false)
  await expect(restore(without, target, { withSecrets: true, now: NOW })).rejects.toThrow('made without secrets')
  await backup(home, withThem, { withSecrets: true })
  await restore(withThem, target, { withSecrets: false, now: NOW })
  expect(existsSync(join(target, 'secrets'))).toBe(false)
  await restore(withThem, target, { withSecrets: true, now: '2026-03-03T00:00:00.000Z' })
  expect(readToken(target)).toBe(readToken(home))
})

test('a backup is made into an empty folder outside the home only', async () => {
  await expect(backup(original.home, saved, { withSecrets: false })).rejects.toThrow('must be empty or new')
  const inside = join(original.home, 'copy')
  await expect(backup(original.home, inside, { withSecrets: false })).rejects.toThrow('must be outside the home')
  expect(existsSync(inside)).toBe(false)
})
