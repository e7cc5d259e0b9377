import { ControlSurface } from '@apprentice/contracts/learn/observation.ts'
import type { Reader } from '../../store/db/db.ts'
import { listDevices } from '../../store/devices/devices.ts'
import { listDependencies } from '../../store/proposals/proposal-dependencies.ts'
import { checkPresence } from '../proposals/dependencies.ts'
import type { DraftUnderTest } from './draft-under-test.ts'
import type { TestResult } from '../proposals/validation-run-record.ts'

/** Tests whether the dependencies of the draft are present. */
export function dependencyTests(reader: Reader, { proposal }: DraftUnderTest): TestResult[] {
  return listDependencies(reader, proposal.proposal_id).map((dependency) => {
    const { dependency_kind, dependency_ref, required } = dependency
    const presence = checkPresence(reader, dependency)
    return {
      test_case_id: `dependency:${dependency_ref}`,
      label: `${dependency_kind} ${dependency_ref}`,
      ...PRESENCE_RESULTS[presence],
      // A missing optional dependency is no failure.
      ...(presence === 'missing' && !required ? { result: 'skipped' as const } : {}),
      required,
    }
  })
}

const PRESENCE_RESULTS = {
  present: { result: 'passed' },
  missing: { result: 'failed', details: 'The dependency is missing.' },
  unknown: { result: 'skipped', details: 'The daemon cannot check whether it is present.' },
} as const satisfies Record<string, Pick<TestResult, 'result' | 'details'>>

/** Control surfaces that every agent has. */
const BUILT_IN_SURFACES = new Set(['native_openclaw_tool', 'native_openclaw_browser'])

/** Tests whether the preferred control surfaces are available. Only the first one and `raw_ui` are required. */
export function adapterTests(reader: Reader, draft: DraftUnderTest): TestResult[] {
  const surfaces = (draft.meaning?.preferred_control_surfaces ?? []).filter(
    (surface) => ControlSurface.safeParse(surface).success,
  )
  const tested = new Set([...surfaces, ...(draft.recipe === undefined ? [] : ['raw_ui'])])
  return [...tested].map((surface, at) => ({
    test_case_id: `adapter:${surface}`,
    label: `Control surface ${surface}`,
    required: at === 0 || surface === 'raw_ui',
    ...surfaceTest(reader, surface),
  }))
}

function surfaceTest(reader: Reader, surface: string): Pick<TestResult, 'result' | 'details'> {
  if (BUILT_IN_SURFACES.has(surface)) return { result: 'passed' }
  if (surface !== 'raw_ui') {
    return { result: 'passed', details: 'Provided by the agent that runs the skill; not checked.' }
  }
  const devices = listDevices(reader).filter(({ state }) => state === 'device')
  return devices.length > 0
    ? { result: 'passed', details: devices.map(({ serial }) => serial).join(', ') }
    : { result: 'skipped', details: 'No device is connected now.' }
}
