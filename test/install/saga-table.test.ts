import { expect, test } from 'vitest'
import { InstallSaga, SagaStep } from '@apprentice/contracts/abilities/installs.ts'
import {
  INSTALL_SAGA,
  MAX_ATTEMPTS,
  type Saga,
  SAGAS,
  type SagaStepPlan,
  UNINSTALL_SAGA,
} from '../../src/domain/install/saga-table.ts'

/** The names of the steps in the order in which a saga reaches them, `done` included. */
function listOrder({ steps }: Saga): SagaStep[] {
  const order: SagaStep[] = ['materialize']
  for (let plan = steps.materialize; plan !== undefined; plan = steps[plan.next]) {
    expect(order, `${plan.next} is reached twice`).not.toContain(plan.next)
    order.push(plan.next)
  }
  return order
}

const listPlans = ({ steps }: Saga): [string, SagaStepPlan][] => Object.entries(steps)

test('an installation runs the steps in the specified order', () => {
  const order = ['materialize', 'project', 'bridge', 'availability', 'finish', 'done']
  expect(listOrder(INSTALL_SAGA)).toEqual(order)
  expect(Object.keys(INSTALL_SAGA.steps)).toEqual(order.slice(0, -1))
})

test('every step of the contract appears in the table of an installation', () => {
  expect(listOrder(INSTALL_SAGA)).toEqual(SagaStep.options)
})

test('every kind of saga has a table whose steps are all reached and lead to done', () => {
  expect(Object.keys(SAGAS).toSorted()).toEqual(InstallSaga.shape.kind.options.toSorted())
  for (const [kind, saga] of Object.entries(SAGAS)) {
    expect(listOrder(saga), kind).toEqual([...Object.keys(saga.steps), 'done'])
  }
  expect(listOrder(UNINSTALL_SAGA)).toEqual(['materialize', 'done'])
})

test.each([...listPlans(INSTALL_SAGA), ...listPlans(UNINSTALL_SAGA)])(
  '%s has a compensation or says why it needs none',
  (_step, { files, compensation }) => {
    if ('none' in compensation) {
      expect(compensation.none).toMatch(/\w+ \w+/)
      expect(files ?? {}, 'written files are always restored').not.toHaveProperty('write')
    } else if ('restore' in compensation) {
      expect(files, 'what is restored is what was written').toEqual({ write: compensation.restore })
    } else expect(compensation.records).toBeTypeOf('function')
  },
)

test('failures to write files are compensated at once, later ones after three attempts', () => {
  const rules = listPlans(INSTALL_SAGA).map(([step, { onFailure }]) => [
    step,
    onFailure === 'fail_job' ? onFailure : onFailure.compensateAfter,
  ])
  expect(rules).toEqual([
    ['materialize', 1],
    ['project', 1],
    ['bridge', 3],
    ['availability', 3],
    ['finish', 'fail_job'],
  ])
  expect(INSTALL_SAGA.onJobFailed).toEqual({ compensateAfter: 3 })
  expect(MAX_ATTEMPTS).toBe(3)
})

test('a removal is never compensated', () => {
  expect(UNINSTALL_SAGA.steps.materialize?.onFailure).toEqual({ compensateAfter: Infinity })
  expect(UNINSTALL_SAGA.onJobFailed).toEqual({ compensateAfter: Infinity })
  expect(UNINSTALL_SAGA).not.toHaveProperty('onCompensated')
})
