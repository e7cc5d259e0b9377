import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AmbiguityPolicy, ProjectSourceBinding } from '@apprentice/contracts/projects/bindings.ts'
import { type ProjectQuestion, resolveProject } from '../../src/knowledge/projects/project-resolver.ts'
import { countRuns } from '../kit/count-runs.ts'

const AT = '2026-03-01T12:00:00.000Z'

const bind = (project_id: string, changes: Partial<ProjectSourceBinding> = {}): ProjectSourceBinding => ({
  project_id,
  aliases: [],
  bucket_ids: [],
  preferred_doc_types: [],
  sharepoint_refs: [],
  onedrive_refs: [],
  teams_refs: [],
  source_of_truth: 'sharepoint',
  ambiguity_policy: 'use_room_context_then_prompt',
  created_at: AT,
  updated_at: AT,
  schema_version: 1,
  ...changes,
})

const HARBOUR = bind('P-17', { aliases: ['Harbour bridge', 'north harbour bridge tender'], bucket_ids: ['b1'] })
const MILL = bind('P-18', { aliases: ['Old mill', 'mill bridge'], bucket_ids: ['b2'] })

const scores = (question: ProjectQuestion, bindings = [HARBOUR, MILL]) =>
  resolveProject(question, bindings).matches.map(({ binding, confidence, reason }) => [
    binding.project_id,
    Math.round(confidence * 1000) / 1000,
    reason,
  ])

test.each<[string, ProjectQuestion, unknown]>([
  ['the exact id', { query: 'p-17' }, [['P-17', 1, 'project_id']]],
  ['an exact alias', { query: '  OLD   mill ' }, [['P-18', 0.9, 'alias']]],
  ['all words of an alias in a sentence', { query: 'the tender for the old mill' }, [['P-18', 0.8, 'alias_words']]],
  ['half of the words of an alias', { query: 'harbour plans' }, [['P-17', 0.5, 'alias_words']]],
  [
    'a word that two projects share',
    { query: 'bridge' },
    [
      ['P-17', 0.5, 'alias_words'],
      ['P-18', 0.5, 'alias_words'],
    ],
  ],
  [
    'a bucket adds a tenth',
    { query: 'bridge', candidate_bucket_ids: ['b2'] },
    [
      ['P-18', 0.6, 'alias_words'],
      ['P-17', 0.5, 'alias_words'],
    ],
  ],
  ['a bucket alone is no match', { query: 'something else', candidate_bucket_ids: ['b1'] }, []],
  [
    'the active project if none is named',
    { query: 'the latest contract', active_project_id: 'P-18' },
    [['P-18', 0.95, 'active_project']],
  ],
  [
    'the active project does not count if another is named',
    { query: 'P-17', active_project_id: 'P-18' },
    [['P-17', 1, 'project_id']],
  ],
  ['the active project named by its id', { query: 'P-18', active_project_id: 'P-18' }, [['P-18', 1, 'project_id']]],
  ['nothing', { query: '' }, []],
])('%s', (_what, question, expected) => {
  expect(scores(question)).toEqual(expected)
})

test('a match is taken if it has 0.8 and leads by 0.15', () => {
  const near = bind('P-19', { aliases: ['old mill annex'] })
  expect(resolveProject({ query: 'old mill' }, [MILL, near])).toMatchObject({
    resolution_state: 'resolved',
    project_id: 'P-18',
    next_step: 'use',
  })
  const twin = bind('P-20', { aliases: ['old mill'] })
  expect(resolveProject({ query: 'old mill' }, [MILL, twin])).toMatchObject({ resolution_state: 'ambiguous' })
  expect(resolveProject({ query: 'harbour' }, [HARBOUR])).toMatchObject({
    resolution_state: 'ambiguous',
    next_step: 'ask',
  })
})

test.each<[AmbiguityPolicy, AmbiguityPolicy, string, string | undefined]>([
  ['return_all', 'return_all', 'use_all', undefined],
  ['return_all', 'require_disambiguation', 'ask', undefined],
  ['use_room_context_then_prompt', 'require_disambiguation', 'ask', undefined],
  ['use_room_context_then_prompt', 'return_all', 'use', 'P-1'],
  ['use_room_context_then_prompt', 'use_room_context_then_prompt', 'use', 'P-1'],
])('projects with the policies %s and %s: %s', (first, second, next_step, project_id) => {
  const bindings = [
    bind('P-1', { aliases: ['mill'], ambiguity_policy: first, teams_refs: ['room-1'] }),
    bind('P-2', { aliases: ['mill'], ambiguity_policy: second, teams_refs: ['room-2'] }),
  ]
  const found = resolveProject({ query: 'mill', room_id: 'room-1' }, bindings)
  expect(found.matches).toHaveLength(2)
  expect([found.next_step, found.project_id]).toEqual([next_step, project_id])
})

test('a room that belongs to no candidate, or to several, breaks no tie', () => {
  const bindings = ['P-1', 'P-2'].map((id) => bind(id, { aliases: ['mill'], teams_refs: ['shared room'] }))
  for (const room_id of ['elsewhere', 'shared room', undefined]) {
    expect(resolveProject({ query: 'mill', room_id }, bindings)).toMatchObject({
      resolution_state: 'ambiguous',
      next_step: 'ask',
    })
  }
})

const word = fc.constantFrom('harbour', 'mill', 'bridge', 'old', 'north', 'tender')
const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '))
const someBindings = fc.uniqueArray(
  fc.record({
    project_id: fc.constantFrom('P-1', 'P-2', 'P-3', 'P-4', 'mill'),
    aliases: fc.array(name, { maxLength: 3 }),
    bucket_ids: fc.array(fc.constantFrom('b1', 'b2'), { maxLength: 2 }),
    teams_refs: fc.array(fc.constantFrom('r1', 'r2'), { maxLength: 1 }),
    ambiguity_policy: fc.constantFrom<AmbiguityPolicy>(
      'return_all',
      'require_disambiguation',
      'use_room_context_then_prompt',
    ),
  }),
  { selector: ({ project_id }) => project_id, maxLength: 5 },
)
const someQuestion = fc.record({
  query: fc.oneof(name, fc.constantFrom('P-1', 'p-2', '', 'unknown')),
  room_id: fc.option(fc.constantFrom('r1', 'r2'), { nil: undefined }),
  active_project_id: fc.option(fc.constantFrom('P-1', 'P-9'), { nil: undefined }),
  candidate_bucket_ids: fc.array(fc.constantFrom('b1', 'b2'), { maxLength: 1 }),
})

test('the answer follows its own rules, whatever is asked and in whatever order the bindings are', () => {
  fc.assert(
    fc.property(someBindings, someQuestion, (parts, question) => {
      const bindings = parts.map(({ project_id, ...changes }) => bind(project_id, changes))
      const found = resolveProject(question, bindings)
      const { matches, resolution_state, project_id, next_step } = found
      expect(resolveProject(question, bindings.toReversed())).toEqual(found)
      const confidences = matches.map(({ confidence }) => confidence)
      expect(confidences).toEqual(confidences.toSorted((a, b) => b - a))
      expect(confidences.every((confidence) => confidence >= 0.5 && confidence <= 1)).toBe(true)
      expect(resolution_state === 'none').toBe(matches.length === 0)
      expect(resolution_state === 'resolved').toBe(next_step === 'use')
      if (project_id !== undefined) expect(matches.map(({ binding }) => binding.project_id)).toContain(project_id)
      const stops = matches.some(({ binding }) => binding.ambiguity_policy === 'require_disambiguation')
      if (resolution_state === 'ambiguous' && stops) expect(next_step).toBe('ask')
    }),
    { numRuns: countRuns(400) },
  )
})

test('a binding that matches nothing changes no answer', () => {
  fc.assert(
    fc.property(someBindings, someQuestion, (parts, question) => {
      const bindings = parts.map(({ project_id, ...changes }) => bind(project_id, changes))
      const foreign = bind('zzz', { aliases: ['unrelated'], bucket_ids: ['b1', 'b2'], teams_refs: ['r1'] })
      expect(resolveProject(question, [...bindings, foreign])).toEqual(resolveProject(question, bindings))
    }),
    { numRuns: countRuns(200) },
  )
})
