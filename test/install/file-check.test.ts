import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { readTree } from '../projections/rig.ts'
import {
  readAbility,
  ABILITY_ID,
  canonicalRoot,
  readCode,
  readFolders,
  prepareImprovement,
  install,
  installProposal,
  projectedRoot,
  SLUG,
} from './install-kit.ts'

function createHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-installed-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

/** Installs an ability, stops the daemon, changes files, and starts the daemon again. */
async function restartAfter(change: (daemon: Daemon) => void): Promise<{ before: Daemon; after: Daemon }> {
  const home = createHome()
  const before = await startDaemon({ home })
  await installProposal(before)
  await before.waitForProjections()
  await before.stop()
  change(before)
  return { before, after: await startDaemon({ home }) }
}

const listEdits = (daemon: Daemon) => daemon.events().filter(({ kind }) => kind === 'ability.files.edited')

test('missing files are written again without an event', async () => {
  const home = createHome()
  const first = await startDaemon({ home })
  await installProposal(first)
  await install(first, await prepareImprovement(first, { goal: 'Share a note as PDF by mail' }))
  await first.waitForProjections()
  await first.stop()
  const files = readFolders(first)
  const projections = readTree(join(home, 'system'))
  rmSync(join(home, 'system'), { recursive: true })
  rmSync(join(projectedRoot(first), SLUG), { recursive: true })

  const second = await startDaemon({ home })

  expect(readFolders(second)).toEqual(files)
  expect(readAbility(second)).toMatchObject({ usable_now: true })
  expect(listEdits(second)).toEqual([])
  await second.waitForProjections()
  expect(readTree(join(home, 'system'))).toEqual(projections)
})

test.each([
  ['projected', 'not_projected'],
  ['canonical', 'not_materialized'],
] as const)('a file edited by hand in the %s folder is kept and reported once', async (place, reason) => {
  const findFile = (daemon: Daemon) =>
    join(place === 'projected' ? projectedRoot(daemon) : canonicalRoot(daemon), SLUG, 'SKILL.md')
  const { after } = await restartAfter((daemon) => {
    chmodSync(findFile(daemon), 0o644)
    appendFileSync(findFile(daemon), 'A better way.\n')
  })

  expect(readFileSync(findFile(after), 'utf8')).toMatch(/A better way\.\n$/)
  expect(readAbility(after)).toMatchObject({ usable_now: false, reason_unusable: reason })
  expect(listEdits(after)).toMatchObject([{ payload: { ability_id: ABILITY_ID, paths: ['SKILL.md'] } }])
  const receipts = await after.get('/api/learn/receipts?receipt_kind=ability.files.edited')
  expect(receipts.json()).toMatchObject({
    receipts: [{ status: 'blocked', ability_id: ABILITY_ID, details: { paths: ['SKILL.md'] } }],
  })

  await after.stop()
  const again = await startDaemon({ home: after.home })
  expect(listEdits(again), 'it is reported once').toHaveLength(1)
  await again.stop()
  const text = readFileSync(findFile(after), 'utf8').replace('A better way.\n', '')
  writeFileSync(findFile(after), text)
  const last = await startDaemon({ home: after.home })
  expect(readAbility(last)).toMatchObject({ usable_now: true })
  expect(listEdits(last)).toHaveLength(1)
})

test('a rollback to the current version overwrites an edit', async () => {
  const { after } = await restartAfter((daemon) => {
    rmSync(join(projectedRoot(daemon), SLUG, 'SKILL.md'))
    writeFileSync(join(projectedRoot(daemon), SLUG, 'SKILL.md'), 'Something else\n')
  })
  const url = `/api/abilities/${ABILITY_ID}/rollback`
  expect(readCode(await after.post(url))).toBe('ABILITY_VERSION_NOT_FOUND')
  const reply = await after.post(url, { version: 1 })
  expect(reply.json()).toMatchObject({ version: 2, restored_from: 1 })
  expect(readAbility(after)).toMatchObject({ usable_now: true, current_version: 2 })
  expect(readFileSync(join(projectedRoot(after), SLUG, 'SKILL.md'), 'utf8')).toContain(SLUG)
})

test('an edit that an installation replaces is reported', async () => {
  const daemon = await startDaemon()
  await installProposal(daemon)
  const next = await prepareImprovement(daemon, { goal: 'Share a note as PDF by mail' })
  const file = join(projectedRoot(daemon), SLUG, 'tests', 'trigger-tests.json')
  rmSync(file)
  writeFileSync(file, '{}')
  await install(daemon, next)
  expect(readFileSync(file, 'utf8')).toContain('by mail')
  expect(listEdits(daemon)).toMatchObject([{ payload: { paths: ['tests/trigger-tests.json'], kept: false } }])
  const receipts = await daemon.get('/api/learn/receipts?receipt_kind=ability.files.edited')
  expect(receipts.json()).toMatchObject({
    total: 1,
    receipts: [{ status: 'ok', ability_id: ABILITY_ID }],
  })
  expect(readAbility(daemon)).toMatchObject({ usable_now: true })
})

test('the daemon starts although the workspace cannot be written to', async () => {
  const { after } = await restartAfter((daemon) => {
    renameSync(projectedRoot(daemon), `${projectedRoot(daemon)}.aside`)
    writeFileSync(projectedRoot(daemon), 'not a folder')
  })
  expect(readAbility(after)).toMatchObject({ usable_now: false, reason_unusable: 'not_projected' })
  expect(listEdits(after)).toEqual([])
  await after.stop()
  rmSync(projectedRoot(after))
  const last = await startDaemon({ home: after.home })
  expect(readAbility(last)).toMatchObject({ usable_now: true })
})

test('temporary folders of a crash are removed, foreign folders are kept', async () => {
  const { after } = await restartAfter((daemon) => {
    for (const root of [canonicalRoot(daemon), projectedRoot(daemon)]) {
      mkdirSync(join(root, '.apprentice-new-x', 'a'), { recursive: true })
      mkdirSync(join(root, '.apprentice-old-y'))
      mkdirSync(join(root, '.git'))
      mkdirSync(join(root, 'foreign'))
    }
  })
  for (const root of [canonicalRoot(after), projectedRoot(after)]) {
    expect(readdirSync(root).toSorted()).toEqual(['.git', 'foreign', SLUG])
  }
})
