import * as fc from 'fast-check'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordSessionEvent } from '../../src/domain/command/ledger.ts'
import { fileName, filledPath } from '../../src/projections/engine/file-name.ts'
import { upsertDraftFile } from '../../src/store/proposals/draft-files.ts'
import { openRig } from './rig.ts'
import { addProposal, addSession, configure } from './rows.ts'

test('an id becomes one harmless name, and no two ids the same', () => {
  const id = fc.stringMatching(/^[A-Za-z0-9._:-]{1,160}$/)
  fc.assert(
    fc.property(id, id, (one, other) => {
      const name = fileName(one) ?? ''
      expect(name).toMatch(/^[A-Za-z0-9_%-][A-Za-z0-9._%~-]*$/)
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200)
      expect(name === fileName(other)).toBe(one === other)
    }),
  )
})

test.each(['', '/', '../x', 'a/b', 'a\\b', 'a b', 'ü', 'a\0', 'a\n', 'x'.repeat(161), '%2E', '~'])(
  'the id %j names no file',
  (id) => {
    expect(fileName(id)).toBeUndefined()
    expect(filledPath('a/<id>.json', id)).toBeUndefined()
  },
)

test('dots in front and colons are encoded, long names cut to fit', () => {
  expect(fileName('..')).toBe('%2E.')
  expect(fileName('.hidden')).toBe('%2Ehidden')
  expect(fileName('gmail:send')).toBe('gmail%3Asend')
  expect(fileName(':'.repeat(160))).toMatch(/^(%3A){40}~[0-9a-f]{32}$/)
})

test('a path needs as many parts as it has places', () => {
  expect(filledPath('p/<id>/draft/<name>', 'a/SKILL.md')).toBe('p/a/draft/SKILL.md')
  expect(filledPath('p/<id>/draft/<name>', 'a/../../x')).toBeUndefined()
  expect(filledPath('p/<id>.json', 'a/b')).toBeUndefined()
})

test('ids that would lead out of their folder write nothing outside it and hold nobody up', async () => {
  const rig = openRig()
  mkdirSync(join(rig.home, 'system'))
  const before = readdirSync(rig.home)
  const hostile = ['..', '../../escaped', '/etc/escaped', '_support_packs/../escaped', 'a:b', '.x']
  await rig.change((ctx) => {
    const session = addSession(ctx)
    const proposal = addProposal(ctx, session)
    for (const name of hostile) {
      configure(ctx, name)
      upsertDraftFile(ctx.tx, proposal, { name, content: 'x' })
    }
    upsertDraftFile(ctx.tx, '..', { name: '..', content: 'x' })
    recordSessionEvent(ctx, session, 'learn.proposal.changed', { payload: { proposal_id: '..' } })
  })
  const projector = await rig.start()
  await projector.settled()

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
