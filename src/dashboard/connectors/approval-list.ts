import { computed, signal } from '@preact/signals'
import { type AskFirstRecord, listAskFirst } from '@apprentice/contracts/connectors/ask-first.ts'
import { onChange } from '../api/changes.ts'
import { call, readMessage } from '../api/client.ts'
import { CONNECTOR_POLL, poll } from '../api/poll.ts'

/** Calls that wait for a decision, and those that expired lately. Undefined until the daemon has answered. */
export const approvals = signal<readonly AskFirstRecord[] | undefined>(undefined)
export const approvalFailure = signal<string | undefined>(undefined)
export const pendingApprovals = computed(() => (approvals.value ?? []).filter(({ status }) => status === 'pending'))

export async function reloadApprovals(): Promise<void> {
  try {
    approvals.value = (await call(listAskFirst)).dispatches
    approvalFailure.value = undefined
  } catch (error) {
    approvalFailure.value = readMessage(error)
  }
}

/** Reads what waits now and at an interval, for every page. */
export function startApprovals(): void {
  void reloadApprovals()
  poll(() => void reloadApprovals(), CONNECTOR_POLL)
  onChange([], () => void reloadApprovals())
}
