import { RunKind } from '@apprentice/contracts/learn/validation.ts'
import { Failure } from '../../failure/failure.ts'
import type { DraftUnderTest } from './draft-under-test.ts'

/** The order in which suites run. */
const SUITE_ORDER = [
  'lint',
  'dependency_check',
  'adapter_check',
  'trigger',
  'dry_run',
  'rehearsal',
  'canary',
] as const satisfies readonly RunKind[]

/** The prefixes of test case ids and their suites. */
const SUITE_PREFIXES: Readonly<Record<string, RunKind>> = {
  lint: 'lint',
  dependency: 'dependency_check',
  adapter: 'adapter_check',
  trigger: 'trigger',
  plan: 'dry_run',
  checkpoint: 'dry_run',
  action: 'rehearsal',
  verify: 'rehearsal',
  cleanup: 'rehearsal',
  canary: 'canary',
}

export interface Selection {
  readonly run_kind: RunKind
  /** In the order in which they run. */
  readonly suites: readonly RunKind[]
  /** Ids or id prefixes of cases. A suite that none of them selects from runs completely. */
  readonly cases: readonly string[]
}

type DraftFacts = Pick<DraftUnderTest, 'recipe' | 'policy' | 'policy_given'>

/** Parses `selected_tests`. The linter is always included. */
export function readSelection(selected: readonly string[], draft: DraftFacts): Selection {
  const kinds = selected.flatMap((entry) => RunKind.safeParse(entry).data ?? [])
  const cases = selected.filter((entry) => !RunKind.safeParse(entry).success)
  const fallback = defaultKind(draft)
  const run_kind = kinds[0] ?? fallback
  const selectedSuites = new Set<RunKind>(['lint', ...kinds, ...cases.map((entry) => findSuite(entry, fallback))])
  if (selected.length === 0) {
    for (const suite of ['dependency_check', 'adapter_check', 'trigger', fallback] as const) {
      selectedSuites.add(suite)
    }
  }
  if (selectedSuites.has('rehearsal')) selectedSuites.add('dry_run')
  if (draft.recipe === undefined) assertNoDeviceSuite(selectedSuites)
  return { run_kind, suites: SUITE_ORDER.filter((suite) => selectedSuites.has(suite)), cases }
}

export const isChosen = (id: string, { cases }: Pick<Selection, 'cases'>): boolean => {
  const suite = SUITE_PREFIXES[id.split(':', 1)[0] ?? '']
  const own = cases.filter((entry) => SUITE_PREFIXES[entry.split(':', 1)[0] ?? ''] === suite)
  return own.length === 0 || own.some((entry) => id === entry || id.startsWith(`${entry}:`))
}

/** A rehearsal if the policy allows changes, else a dry run. */
function defaultKind({ recipe, policy, policy_given }: DraftFacts): RunKind {
  const readOnly = policy.mode === 'read_only' || policy.mode === 'dry_run_only'
  return policy_given && !readOnly && recipe !== undefined ? 'rehearsal' : 'dry_run'
}

function findSuite(entry: string, fallback: RunKind): RunKind {
  const prefix = entry.split(':', 1)[0] ?? ''
  // Checkpoints belong to the dry run, or to the rehearsal if there is one.
  if (prefix === 'checkpoint') return fallback
  const suite = Object.hasOwn(SUITE_PREFIXES, prefix) ? SUITE_PREFIXES[prefix] : undefined
  if (suite === undefined) throw unknownTest(entry)
  return suite
}

export const unknownTest = (entry: string): Failure =>
  new Failure('INVALID_REQUEST', `selected_tests: no test ${entry}.`, {
    details: { field: 'selected_tests', entry, kinds: RunKind.options },
  })

function assertNoDeviceSuite(suites: ReadonlySet<RunKind>): void {
  const suite = (['rehearsal', 'canary'] as const).find((kind) => suites.has(kind))
  if (suite === undefined) return
  throw new Failure('INVALID_REQUEST', `selected_tests: a ${suite} needs a recipe, and the draft has none.`, {
    details: { field: 'selected_tests', entry: suite },
  })
}
