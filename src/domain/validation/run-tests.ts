import type { RunKind } from '@apprentice/contracts/learn/validation.ts'
import type { Reader } from '../../store/db/db.ts'
import type { DraftUnderTest } from './draft-under-test.ts'
import { planTests } from './plan-tests.ts'
import type { TestResult } from '../proposals/validation-run-record.ts'
import { adapterTests, dependencyTests } from './environment-tests.ts'
import { isChosen, unknownTest, type Selection } from './test-selection.ts'
import { triggerTests } from './trigger-tests.ts'

type QuickSuite = Exclude<RunKind, 'lint' | 'rehearsal' | 'canary'>

/** The suites that need no device. The linter runs before them. */
const QUICK_SUITES: Readonly<
  Record<QuickSuite, (reader: Reader, draft: DraftUnderTest, rehearsed: boolean) => TestResult[]>
> = {
  dependency_check: dependencyTests,
  adapter_check: adapterTests,
  trigger: triggerTests,
  dry_run: (_reader, draft, rehearsed) => planTests(draft, { rehearsed }),
}

export const isQuick = (suite: RunKind): suite is QuickSuite => Object.hasOwn(QUICK_SUITES, suite)

/** The results of the selected cases of a suite. */
export function runSuite(reader: Reader, suite: QuickSuite, draft: DraftUnderTest, selection: Selection): TestResult[] {
  const rehearsed = selection.suites.includes('rehearsal')
  return QUICK_SUITES[suite](reader, draft, rehearsed).filter(({ test_case_id }) => isChosen(test_case_id, selection))
}

/** Throws if a selected case does not exist: the run would pass without testing it. */
export function assertCasesExist(reader: Reader, draft: DraftUnderTest, selection: Selection): void {
  const known = selection.suites
    .filter(isQuick)
    .flatMap((suite) => runSuite(reader, suite, draft, { ...selection, cases: [] }))
    .map(({ test_case_id }) => test_case_id)
  const missing = selection.cases.find(
    (entry) =>
      !/^(?:lint|checkpoint|action|verify|cleanup|canary)(?::|$)/.test(entry) &&
      !known.some((id) => id === entry || id.startsWith(`${entry}:`)),
  )
  if (missing !== undefined) throw unknownTest(missing)
}
