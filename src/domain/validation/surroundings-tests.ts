import { ControlSurface } from '@apprentice/contracts/learn/observation.ts'
import type { Reader } from '../../store/db/db.ts'
import { listDevices } from '../../store/devices/devices.ts'
import { listDependencies } from '../../store/proposals/proposal-dependencies.ts'
import { presenceOf } from '../proposals/dependencies.ts'
import type { DraftUnderTest } from './draft-under-test.ts'
import type { TestResult } from '../proposals/validation-run-record.ts'

/** Is what the draft needs beside itself there? */
export function dependencyTests(reader: Reader, { proposal }: DraftUnderTest): TestResult[] {
  return listDependencies(reader, proposal.proposal_id).map((dependency) => {
    const { dependency_kind, dependency_ref, required } = dependency
    const presence = presenceOf(reader, dependency)
    return {
      test_case_id: `dependency:${dependency_ref}`,
      label: `${dependency_kind} ${dependency_ref}`,
      ...verdicts[presence],
      // What is missing but could be done without is no failure.
      ...(presence === 'missing' && !required ? { result: 'skipped' as const } : {}),
      required,
    }
  })
}

const verdicts = {
  present: { result: 'passed' },
  missing: { result: 'failed', details: 'It is not there.' },
  unknown: { result: 'skipped', details: 'Nothing here tells whether it is there.' },
} as const satisfies Record<string, Pick<TestResult, 'result' | 'details'>>

/** Ways of doing things that every agent has. */
const everywhere = new Set(['native_openclaw_tool', 'native_openclaw_browser'])

/** Can the ways be gone that the draft prefers? Only the first of them is needed. */
export function adapterTests(reader: Reader, draft: DraftUnderTest): TestResult[] {
  const surfaces = (draft.meaning?.preferred_control_surfaces ?? []).filter(
    (surface) => ControlSurface.safeParse(surface).success,
  )
  const wanted = new Set([...surfaces, ...(draft.recipe === undefined ? [] : ['raw_ui'])])
  return [...wanted].map((surface, at) => ({
    test_case_id: `adapter:${surface}`,
    label: `Control surface ${surface}`,
    required: at === 0 || surface === 'raw_ui',
    ...surfaceTest(reader, surface),
  }))
}

function surfaceTest(reader: Reader, surface: string): Pick<TestResult, 'result' | 'details'> {
  if (everywhere.has(surface)) return { result: 'passed' }
  if (surface !== 'raw_ui') {
    return { result: 'passed', details: 'Brought by the agent that runs the skill; not checked.' }
  }
  const devices = listDevices(reader).filter(({ state }) => state === 'device')
  return devices.length > 0
    ? { result: 'passed', details: devices.map(({ serial }) => serial).join(', ') }
    : { result: 'skipped', details: 'No device is connected now.' }
}
