import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { withDaemon, type Scenario } from './scenarios.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { createPracticeSession, SETTINGS_APP } from '../practice/practice-session.ts'

const goal = 'Turn on Night light'

/** A session with a practice that is never run. */
const withPractice =
  (send: (daemon: Daemon, url: string) => ReturnType<Scenario>): Scenario =>
  async () => {
    const daemon = await startDaemon({ config: { phone: 'simulated' } })
    const url = `/api/learn/sessions/${await createPracticeSession(daemon, SETTINGS_APP)}/practice`
    await daemon.system.jobs.stop()
    await daemon.post(url, { goal })
    return send(daemon, url)
  }

export const practiceScenarios = {
  PRACTICE_GOAL_UNCLEAR: withDaemon(async (daemon) => {
    const id = await createPracticeSession(daemon, SETTINGS_APP)
    return daemon.post(`/api/learn/sessions/${id}/practice`, { goal: 'Be nice' })
  }),
  PRACTICE_NOT_FOUND: withDaemon(async (daemon) => {
    const id = await createPracticeSession(daemon, SETTINGS_APP)
    return daemon.get(`/api/learn/sessions/${id}/practice`)
  }),
  PRACTICE_IN_PROGRESS: withPractice((daemon, url) => daemon.post(url, { goal })),
  PRACTICE_ENDED: withPractice(async (daemon, url) => {
    await daemon.post(`${url}/cancel`, {})
    return daemon.post(`${url}/cancel`, {})
  }),
} satisfies Partial<Record<FailureCode, Scenario>>
