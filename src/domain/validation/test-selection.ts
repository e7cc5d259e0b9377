import { RunKind } from '@apprentice/contracts/learn/validation.ts'
import { Failure } from '../../failure/failure.ts'
import type { DraftUnderTest } from './draft-under-test.ts'

/** The suites in the order they always run in. */
const suiteOrder = [
  'lint',
  'dependency_check',
  'adapter_check',
  'trigger',
  'dry_run',
  'rehearsal',
  'canary',
] as const satisfies readonly RunKind[]

/** What the ids of a suite's cases begin with. */
const prefixes: Readonly<Record<string, RunKind>> = {
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
  /** In their order. */
  readonly suites: readonly RunKind[]
  /** Ids of cases, or what they begin with; a suite none of them concerns runs whole. */
  readonly cases: readonly string[]
}

type Known = Pick<DraftUnderTest, 'recipe' | 'policy' | 'policy_given'>

/** What is to be tested. Checkpoints are linted before anything else, whatever was chosen. */
export function readSelection(selected: readonly string[], draft: Known): Selection {
  const kinds = selected.flatMap((entry) => RunKind.safeParse(entry).data ?? [])
  const cases = selected.filter((entry) => !RunKind.safeParse(entry).success)
  const usual = usualKind(draft)
  const run_kind = kinds[0] ?? usual
  const wanted = new Set<RunKind>([
    'lint',
    ...kinds,
    ...cases.map((entry) => suiteOf(entry, usual)),
  ])
  if (selected.length === 0) {
    for (const suite of ['dependency_check', 'adapter_check', 'trigger', usual] as const) {
      wanted.add(suite)
    }
  }
  if (wanted.has('rehearsal')) wanted.add('dry_run')
  if (draft.recipe === undefined) assertNoPhone(wanted)
  return { run_kind, suites: suiteOrder.filter((suite) => wanted.has(suite)), cases }
}

export const isChosen = (id: string, { cases }: Pick<Selection, 'cases'>): boolean => {
  const suite = prefixes[id.split(':', 1)[0] ?? '']
  const own = cases.filter((entry) => prefixes[entry.split(':', 1)[0] ?? ''] === suite)
  return own.length === 0 || own.some((entry) => id === entry || id.startsWith(`${entry}:`))
}

/** A policy that lets something be changed is there to be rehearsed under. */
function usualKind({ recipe, policy, policy_given }: Known): RunKind {
  const readOnly = policy.mode === 'read_only' || policy.mode === 'dry_run_only'
  return policy_given && !readOnly && recipe !== undefined ? 'rehearsal' : 'dry_run'
}

function suiteOf(entry: string, usual: RunKind): RunKind {
  const prefix = entry.split(':', 1)[0] ?? ''
  // Checkpoints are planned, and reached where there is a rehearsal.
  if (prefix === 'checkpoint') return usual
  const suite = Object.hasOwn(prefixes, prefix) ? prefixes[prefix] : undefined
  if (suite === undefined) throw noSuchTest(entry)
  return suite
}

export const noSuchTest = (entry: string): Failure =>
  new Failure('INVALID_REQUEST', `selected_tests names no test: ${entry}`, {
    details: { field: 'selected_tests', entry, kinds: RunKind.options },
  })

function assertNoPhone(wanted: ReadonlySet<RunKind>): void {
  const needing = (['rehearsal', 'canary'] as const).find((kind) => wanted.has(kind))
  if (needing === undefined) return
  throw new Failure('INVALID_REQUEST', `The draft has no recipe that a ${needing} could run.`, {
    details: { field: 'selected_tests', entry: needing },
  })
}
