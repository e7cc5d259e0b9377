// Checked by `npm run types` only: each line below must not compile. It is not part of the build.
import { getSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
// @ts-expect-error There is no such route.
import { getSessionDetails } from '@apprentice/contracts/learn/runtime.ts'
import { call } from './client.ts'

export async function checkTypes(): Promise<void> {
  void getSessionDetails
  // @ts-expect-error The parameter has another name.
  await call(getSessionDetail, { params: { learnSessionId: '' } })
  const { session } = await call(getSessionDetail, { params: { sessionId: '' } })
  // @ts-expect-error There is no such field.
  void session.entryMode
}
