import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execFileSync } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import type { Daemon } from '../kit/daemon.ts'
import { startDaemon } from '../kit/daemon.ts'
import { open, openClassroom, tap, type Classroom } from '../teach/teaching.ts'
import { aManifest, goodBundle } from './archive.ts'
import { codesOf, done, refusal, scanned, staged } from './importing.ts'

const climate = 'org.apprentice.climate'

async function exported(daemon: Daemon, abilityId: string): Promise<Buffer> {
  const reply = await daemon.get(`/api/abilities/${abilityId}/export`)
  expect(reply.statusCode, reply.body).toBe(200)
  expect(reply.headers['content-type']).toBe('application/zip')
  return reply.rawPayload
}

const temperatureOf = ({ phone }: Classroom, name: string): number | undefined => {
  const { saved } = phone.state(climate) as unknown as {
    saved: { units: { name: string; temperature: number }[] }
  }
  return saved.units.find((unit) => unit.name === name)?.temperature
}

test('what was taught here runs where it was imported, and goes out again as the same bytes', async () => {
  const school = await openClassroom()
  const learned = await school.install(
    await school.demonstrate({
      goal: "Set a unit's temperature",
      show: async ({ act: ctx }) => {
        await ctx(open(climate), tap('Reception'))
        await ctx(tap({ contentDescEquals: 'Warmer' }), tap({ contentDescEquals: 'Warmer' }))
        await ctx(tap('Save'), tap({ resourceId: 'android:id/button1' }))
      },
    }),
  )
  const bundle = await exported(school.daemon, learned)
  expect((await exported(school.daemon, learned)).equals(bundle)).toBe(true)

  const elsewhere = await openClassroom()
  const found = await scanned(elsewhere.daemon, bundle)
  expect(found.compatibility_report.compatible, JSON.stringify(codesOf(found))).toBe(true)
  const { import_id } = found.import_record
  await done(elsewhere.daemon, 'stage', { import_id })
  const { ability_id = '' } = await done(elsewhere.daemon, 'install-private', { import_id })
  expect(ability_id).toBe(learned.replace('learned.', 'imported.'))

  expect(temperatureOf(elsewhere, 'Kitchen')).not.toBe(23)
  const before = temperatureOf(elsewhere, 'Reception')
  const run = await elsewhere.run(ability_id, { unit: 'Kitchen', temperature: 23 })
  expect(run.state).toBe('success')
  expect(temperatureOf(elsewhere, 'Kitchen')).toBe(23)
  expect(temperatureOf(elsewhere, 'Reception')).toBe(before)

  expect((await exported(elsewhere.daemon, ability_id)).equals(bundle)).toBe(true)
}, 120_000)

test('a bundle with files of any kind goes out as it came in, and other tools can read it', async () => {
  const daemon = await startDaemon()
  const entries = [
    ...goodBundle(),
    { name: 'references/größe und maß.md', content: 'Grüße\n' },
    { name: 'capabilities/other.json', content: JSON.stringify(aManifest()) },
  ]
  const { import_id } = await staged(daemon, entries)
  const { ability_id = '' } = await done(daemon, 'install-private', { import_id })
  const bundle = await exported(daemon, ability_id)
  const folder = mkdtempSync(join(tmpdir(), 'exported-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'bundle.zip'), bundle)
  expect(String(execFileSync('unzip', ['-tqq', join(folder, 'bundle.zip')]))).toBe('')

  const other = await startDaemon()
  const again = await staged(other, bundle)
  const second = await done(other, 'install-private', { import_id: again.import_id })
  expect((await exported(other, second.ability_id ?? '')).equals(bundle)).toBe(true)
})

test('what is private to somebody is exported by nobody else', async () => {
  const daemon = await startDaemon()
  const { import_id } = await staged(daemon)
  await done(daemon, 'install-private', { import_id })
  const token = await daemon.tokenFor('mallory', 'admin')
  expect(refusal(await daemon.get('/api/abilities/imported.tidy-notes/export', token))).toBe(
    'ABILITY_NOT_FOUND',
  )
})
