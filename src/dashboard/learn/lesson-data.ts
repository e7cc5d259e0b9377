import { useEffect } from 'preact/hooks'
import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import {
  type CapturedStepView,
  getUnderstanding,
  listCapturedSteps,
  type Understanding,
} from '@apprentice/contracts/learn/understanding.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'

export interface LessonData {
  readonly steps: readonly CapturedStepView[]
  readonly understanding: Understanding | undefined
  readonly reload: () => Promise<void>
}

/** An action of the phone itself sends no event of its own. */
const POLL_MS = 1500

/** The captured steps of a lesson and what the daemon makes of them. Both follow the capture. */
export function useLesson({ session }: LearnSessionDetail): LessonData {
  const sessionId = session.learn_session_id
  const params = { sessionId }
  const isCapturing = session.state === 'capturing'
  const steps = useResource(`${sessionId}/steps/${isCapturing}`, () => call(listCapturedSteps, { params }), {
    changesWith: ['learn.'],
    ...(isCapturing && { pollMs: POLL_MS }),
  })
  const understanding = useResource(`${sessionId}/understanding`, () => call(getUnderstanding, { params }), {
    changesWith: ['learn.'],
  })
  const listed = steps.data.value?.steps ?? []
  // The number of steps and the last screen say whether there is something new to understand.
  const newest = `${listed.length}/${listed.at(-1)?.event_id ?? ''}`
  useEffect(() => {
    if (listed.length > 0) void understanding.reload()
  }, [newest])
  const reload = async (): Promise<void> => {
    await Promise.all([steps.reload(), understanding.reload()])
  }
  return { steps: listed, understanding: understanding.data.value?.understanding, reload }
}
