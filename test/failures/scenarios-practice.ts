import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { asking, type Scenario } from './scenarios.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { practiceSession, settings } from '../practice/practising.ts'

const goal = 'Turn on Night light'

/** A session that practises while nobody does the work. */
const withPractice =
  (ask: (daemon: Daemon, url: string) => ReturnType<Scenario>): Scenario =>
  async () => {
    const daemon = await startDaemon({ config: { phone: 'simulated' } })
    const url = `/api/learn/sessions/${await practiceSession(daemon, settings)}/practice`
    await daemon.system.jobs.stop()
    await daemon.post(url, { goal })
    return ask(daemon, url)
  }

export const practiceScenarios = {
  PRACTICE_GOAL_UNCLEAR: asking(async (daemon) => {
    const id = await practiceSession(daemon, settings)
    return daemon.post(`/api/learn/sessions/${id}/practice`, { goal: 'Be nice' })
  }),
  PRACTICE_NOT_FOUND: asking(async (daemon) => {
    const id = await practiceSession(daemon, settings)
    return daemon.get(`/api/learn/sessions/${id}/practice`)
  }),
  PRACTICE_IN_PROGRESS: withPractice((daemon, url) => daemon.post(url, { goal })),
  PRACTICE_ENDED: withPractice(async (daemon, url) => {
    await daemon.post(`${url}/cancel`, {})
    return daemon.post(`${url}/cancel`, {})
  }),
} satisfies Partial<Record<FailureCode, Scenario>>
