import type { z } from 'zod'
import { sendInput } from '@apprentice/contracts/devices/screen.ts'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import { call } from '../api/client.ts'
import { sayFailure } from '../text/say.ts'
import { t } from '../text/text.ts'

type InputBody = z.input<typeof sendInput.body>
type WithoutOptions<T> = T extends unknown ? Omit<T, 'wait_ms' | 'schema_version' | 'client_request_id'> : never
/** One input to a phone. */
export type PhoneInput = WithoutOptions<InputBody>

const INPUT_WAIT_MS = 20_000

/** Sends an input and returns its settled execution. */
export async function sendPhoneInput(serial: string, input: PhoneInput): Promise<ExecutionRecord> {
  const body = { ...input, wait_ms: INPUT_WAIT_MS } as InputBody
  const { execution } = await call(sendInput, { params: { serial }, body })
  return execution
}

/** Why an execution failed. */
export function readExecutionFailure({ envelope }: ExecutionRecord): string {
  const failed = envelope?.stepResults.find((step) => !step.success)
  const { error: code = '', message = envelope?.error ?? '' } = failed?.data ?? {}
  return t.run.troubles[code] ?? sayFailure({ code, message })
}
