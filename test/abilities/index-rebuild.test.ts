import { expect, test } from 'vitest'
import { AbilityIndex } from '../../src/knowledge/lookup/ability-index.ts'
import { readQuery } from '../../src/knowledge/lookup/scorer.ts'
import { buildAbilityRow } from './ability-rows.ts'

test('an index of abilities that change often can be rebuilt without the old texts', () => {
  const index = new AbilityIndex()
  index.set(buildAbilityRow({ ability_id: 'b.stays', trigger_phrases: ['open the garage'] }))
  for (let version = 0; version < 1000; version += 1) {
    index.set(buildAbilityRow({ ability_id: 'a.changes', trigger_phrases: [`phrase number ${version}`] }))
  }
  expect(index.needsRebuild).toBe(true)

  const rebuilt = index.rebuild()

  expect([rebuilt.size, rebuilt.needsRebuild]).toEqual([2, false])
  for (const text of ['open the garage', 'phrase number 999', 'phrase number 7']) {
    const query = [
      readQuery(text),
      {
        caller: 'local',
        project_id: undefined,
        lanes: new Set(['approved_workspace', 'shared_promoted', 'experimental_private'] as const),
        require_text_match: true,
      },
    ] as const
    expect(rebuilt.find(...query)).toEqual(index.find(...query))
  }
})
