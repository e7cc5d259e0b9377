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
import { treeOf } from '../projections/rig.ts'
import {
  ability,
  abilityId,
  canonical,
  codeOf,
  folders,
  improved,
  install,
  installed,
  projected,
  slug,
} from './installing.ts'

function aHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-installed-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

/** Installs in a home, stops the daemon, lets something happen, and starts another. */
async function away(happens: (daemon: Daemon) => void): Promise<{ before: Daemon; after: Daemon }> {
  const home = aHome()
  const before = await startDaemon({ home })
  await installed(before)
  await before.mirrorsSettled()
  await before.stop()
  happens(before)
  return { before, after: await startDaemon({ home }) }
}

const edits = (daemon: Daemon) =>
  daemon.events().filter(({ kind }) => kind === 'ability.files.edited')

test('files that are missing are written again, and nobody is troubled with it', async () => {
  const home = aHome()
  const first = await startDaemon({ home })
  await installed(first)
  await install(first, await improved(first, { goal: 'Share a note as PDF by mail' }))
  await first.mirrorsSettled()
  await first.stop()
  const files = folders(first)
  const mirrors = treeOf(join(home, 'system'))
  rmSync(join(home, 'system'), { recursive: true })
  rmSync(join(projected(first), slug), { recursive: true })

  const second = await startDaemon({ home })

  expect(folders(second)).toEqual(files)
  expect(ability(second)).toMatchObject({ usable_now: true })
  expect(edits(second)).toEqual([])
  await second.mirrorsSettled()
  expect(treeOf(join(home, 'system'))).toEqual(mirrors)
})

test.each([
  ['projected', 'not_projected'],
  ['canonical', 'not_materialized'],
] as const)('a file edited by hand in the %s folder is left and told', async (place, reason) => {
  const fileIn = (daemon: Daemon) =>
    join(place === 'projected' ? projected(daemon) : canonical(daemon), slug, 'SKILL.md')
  const { after } = await away((daemon) => {
    chmodSync(fileIn(daemon), 0o644)
    appendFileSync(fileIn(daemon), 'A better way.\n')
  })

  expect(readFileSync(fileIn(after), 'utf8')).toMatch(/A better way\.\n$/)
  expect(ability(after)).toMatchObject({ usable_now: false, reason_unusable: reason })
  expect(edits(after)).toMatchObject([{ payload: { ability_id: abilityId, paths: ['SKILL.md'] } }])
  const receipts = await after.get('/api/learn/receipts?receipt_kind=ability.files.edited')
  expect(receipts.json()).toMatchObject({
    receipts: [{ status: 'blocked', ability_id: abilityId, details: { paths: ['SKILL.md'] } }],
  })

  await after.stop()
  const again = await startDaemon({ home: after.home })
  expect(edits(again), 'it is told once').toHaveLength(1)
  await again.stop()
  const text = readFileSync(fileIn(after), 'utf8').replace('A better way.\n', '')
  writeFileSync(fileIn(after), text)
  const last = await startDaemon({ home: after.home })
  expect(ability(last)).toMatchObject({ usable_now: true })
  expect(edits(last)).toHaveLength(1)
})

test('who decides against an edit gets the version in force written again', async () => {
  const { after } = await away((daemon) => {
    rmSync(join(projected(daemon), slug, 'SKILL.md'))
    writeFileSync(join(projected(daemon), slug, 'SKILL.md'), 'Something else\n')
  })
  const url = `/api/abilities/${abilityId}/rollback`
  expect(codeOf(await after.post(url))).toBe('ABILITY_VERSION_NOT_FOUND')
  const reply = await after.post(url, { version: 1 })
  expect(reply.json()).toMatchObject({ version: 2, restored_from: 1 })
  expect(ability(after)).toMatchObject({ usable_now: true, current_version: 2 })
  expect(readFileSync(join(projected(after), slug, 'SKILL.md'), 'utf8')).toContain(slug)
})

test('an edit that an installation replaces is told too', async () => {
  const daemon = await startDaemon()
  await installed(daemon)
  const next = await improved(daemon, { goal: 'Share a note as PDF by mail' })
  const file = join(projected(daemon), slug, 'tests', 'trigger-tests.json')
  rmSync(file)
  writeFileSync(file, '{}')
  await install(daemon, next)
  expect(readFileSync(file, 'utf8')).toContain('by mail')
  expect(edits(daemon)).toMatchObject([
    { payload: { paths: ['tests/trigger-tests.json'], kept: false } },
  ])
  expect(ability(daemon)).toMatchObject({ usable_now: true })
})

test('a workspace that cannot be written to keeps no daemon from starting', async () => {
  const { after } = await away((daemon) => {
    renameSync(projected(daemon), `${projected(daemon)}.aside`)
    writeFileSync(projected(daemon), 'in the way')
  })
  expect(ability(after)).toMatchObject({ usable_now: false, reason_unusable: 'not_projected' })
  expect(edits(after)).toEqual([])
  await after.stop()
  rmSync(projected(after))
  const last = await startDaemon({ home: after.home })
  expect(ability(last)).toMatchObject({ usable_now: true })
})

test('what a crash left of a replacement goes; what is not ours stays', async () => {
  const { after } = await away((daemon) => {
    for (const root of [canonical(daemon), projected(daemon)]) {
      mkdirSync(join(root, '.apprentice-new-x', 'a'), { recursive: true })
      mkdirSync(join(root, '.apprentice-old-y'))
      mkdirSync(join(root, '.git'))
      mkdirSync(join(root, 'somebody-elses'))
    }
  })
  for (const root of [canonical(after), projected(after)]) {
    expect(readdirSync(root).toSorted()).toEqual(['.git', slug, 'somebody-elses'])
  }
})
