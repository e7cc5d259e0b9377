import { expect, test } from 'vitest'
import type { AbilityRow } from '../../src/store/abilities/abilities.ts'
import { startDaemon } from '../kit/daemon.ts'
import { addAbility } from './ability-rows.ts'

interface Case {
  query: string
  changes?: Partial<AbilityRow>
  project_id?: string
  expected: object
}

const CASES: Record<string, Case> = {
  'a full trigger with its original spelling': {
    query: 'please EXPORT brief as pdf',
    changes: { trigger_phrases: ['Export Brief as PDF'] },
    expected: {
      matched: true,
      score: 0.7200000000000002,
      match_reasons: ['trigger_phrase_match: "Export Brief as PDF"', 'title_match: 3 tokens', 'global_scope'],
      rejection_reasons: [],
    },
  },
  'two words of a trigger and the project scope': {
    query: 'brief brief',
    changes: { trigger_phrases: ['brief maker tool'], title: 'none', project_scopes: ['p1'] },
    project_id: 'p1',
    expected: {
      matched: true,
      match_reasons: ['trigger_partial_match: 2 tokens', 'project_scope_match: p1'],
      rejection_reasons: [],
    },
  },
  'a negative trigger': {
    query: 'export brief as pdf and print',
    expected: {
      matched: false,
      score: 0,
      match_reasons: [],
      rejection_reasons: ['negative_trigger_match: "print"', 'below_threshold'],
    },
  },
  'no common words': {
    query: 'order lunch',
    changes: { project_scopes: ['p1'] },
    project_id: 'p2',
    expected: {
      matched: false,
      score: 0.07,
      match_reasons: [],
      rejection_reasons: ['below_threshold', 'project_scope_mismatch'],
    },
  },
  'a disabled ability': {
    query: 'export brief as pdf',
    changes: { enabled: false, usable_now: false, reason_unusable: 'disabled', title: 'X' },
    expected: {
      matched: true,
      score: 0.26,
      match_reasons: ['trigger_phrase_match: "export brief as pdf"', 'global_scope', 'usable_now=false: disabled'],
      rejection_reasons: ['disabled', 'usable_now=false: disabled'],
    },
  },
  'an unusable ability without a stored reason': {
    query: 'export brief as pdf',
    changes: { usable_now: false },
    expected: { rejection_reasons: ['usable_now=false: undefined'] },
  },
  'a quarantined ability': {
    query: 'export brief as pdf',
    changes: { install_lane: 'quarantined', prior_lane: 'approved_workspace', title: 'X' },
    expected: { matched: false, score: 0.45, rejection_reasons: ['install_lane_quarantined'] },
  },
  'a blank query': {
    query: '  ',
    expected: {
      matched: false,
      score: 0,
      match_reasons: [],
      rejection_reasons: ['blank_query', 'below_threshold'],
    },
  },
}

test.each(Object.entries(CASES))('%s is explained', async (_name, { query, expected, ...more }) => {
  const daemon = await startDaemon()
  const ability_id = await addAbility(daemon, more.changes)
  const { project_id } = more
  const reply = await daemon.post('/api/abilities/explain-match', {
    user_query: query,
    ability_id,
    ...(project_id === undefined ? {} : { project_id }),
  })
  expect(reply.statusCode, reply.body).toBe(200)
  expect(reply.json()).toMatchObject({ ability_id, ...expected })
})

test('reasons are cut to the maximum length of the contract', async () => {
  const daemon = await startDaemon()
  const ability_id = await addAbility(daemon, {
    usable_now: false,
    reason_unusable: 'x'.repeat(240),
  })
  const reply = await daemon.post('/api/abilities/explain-match', {
    user_query: 'export',
    ability_id,
  })
  const { match_reasons } = reply.json<{ match_reasons: string[] }>()
  expect(match_reasons.at(-1)).toHaveLength(240)
})

test("an unknown ability and another user's private ability are not explained", async () => {
  const daemon = await startDaemon()
  const hidden = await addAbility(daemon, {
    owner_user_id: 'somebody',
    install_lane: 'experimental_private',
  })
  for (const ability_id of ['learned.none', hidden]) {
    const reply = await daemon.post('/api/abilities/explain-match', { user_query: 'x', ability_id })
    expect(reply.statusCode).toBe(404)
    expect(reply.json()).toMatchObject({ error: { code: 'ABILITY_NOT_FOUND' } })
  }
})
