import * as fc from 'fast-check'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordSessionEvent } from '../../src/domain/command/ledger.ts'
import { toFileName, fillPath } from '../../src/projections/engine/file-name.ts'
import { upsertDraftFile } from '../../src/store/proposals/draft-files.ts'
import { openRig } from './rig.ts'
import { addProposal, addSession, configureDocument } from './rows.ts'

test('an id becomes one safe file name, and different ids get different names', () => {
  const id = fc.stringMatching(/^[A-Za-z0-9._:-]{1,160}$/)
  fc.assert(
    fc.property(id, id, (one, other) => {
      const name = toFileName(one) ?? ''
      expect(name).toMatch(/^[A-Za-z0-9_%-][A-Za-z0-9._%~-]*$/)
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200)
      expect(name === toFileName(other)).toBe(one === other)
    }),
  )
})

test.each(['', '/', '../x', 'a/b', 'a\\b', 'a b', 'ü', 'a\0', 'a\n', 'x'.repeat(161), '%2E', '~'])(
  'the id %j has no file name',
  (id) => {
    expect(toFileName(id)).toBeUndefined()
    expect(fillPath('a/<id>.json', id)).toBeUndefined()
  },
)

test('leading dots and colons are encoded, and long names are shortened', () => {
  expect(toFileName('..')).toBe('%2E.')
  expect(toFileName('.hidden')).toBe('%2Ehidden')
  expect(toFileName('gmail:send')).toBe('gmail%3Asend')
  expect(toFileName(':'.repeat(160))).toMatch(/^(%3A){40}~[0-9a-f]{32}$/)
})

test('a path needs as many key parts as it has placeholders', () => {
  expect(fillPath('p/<id>/draft/<name>', 'a/SKILL.md')).toBe('p/a/draft/SKILL.md')
  expect(fillPath('p/<id>/draft/<name>', 'a/../../x')).toBeUndefined()
  expect(fillPath('p/<id>.json', 'a/b')).toBeUndefined()
})

test('ids that look like paths write nothing outside their folder and do not block other files', async () => {
  const rig = openRig()
  mkdirSync(join(rig.home, 'system'))
  const before = readdirSync(rig.home)
  const hostile = ['..', '../../escaped', '/etc/escaped', '_support_packs/../escaped', 'a:b', '.x']
  await rig.change((ctx) => {
    const session = addSession(ctx)
    const proposal = addProposal(ctx, session)
    for (const name of hostile) {
      configureDocument(ctx, name)
      upsertDraftFile(ctx.tx, proposal, { name, content: 'x' })
    }
    upsertDraftFile(ctx.tx, '..', { name: '..', content: 'x' })
    recordSessionEvent(ctx, session, 'learn.proposal.changed', { payload: { proposal_id: '..' } })
  })
  const projector = await rig.start()
  await projector.waitUntilSettled()

  expect(projector.status().status).toBe('ok')
  expect(readdirSync(rig.home)).toEqual(expect.arrayContaining(before))
  expect(readdirSync(rig.home).filter((name) => !before.includes(name))).toEqual([])
  const config = Object.keys(rig.tree()).filter((file) => file.startsWith('skills/config'))
  expect(config).toEqual([
    'skills/config/%2E..json',
    'skills/config/%2Ex.json',
    'skills/config/a%3Ab.json',
    'skills/config/intents.jsonl',
  ])
  const drafts = Object.keys(rig.tree()).filter((file) => file.includes('/%2E./'))
  expect(drafts).toEqual(['learning/proposals/%2E./draft/%2E.'])
  expect(await rig.problems()).toEqual([])
})
