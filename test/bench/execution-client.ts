import { Agent, type Dispatcher } from 'undici'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import type { BenchDaemon } from './device-rig.ts'
import { BENCH_TOKEN } from './home.ts'

/** Costs less than `fetch`, which would slow down the daemon on a machine with few cores. */
export class ExecutionClient {
  readonly #agent = new Agent({ connections: 256, headersTimeout: 0 })
  readonly #origin: string
  #count = 0

  constructor({ url }: Pick<BenchDaemon, 'url'>) {
    this.#origin = url
  }

  async post(path: string, body: unknown): Promise<unknown> {
    const options: Dispatcher.RequestOptions = {
      origin: this.#origin,
      path,
      method: 'POST',
      headers: { authorization: `Bearer ${BENCH_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    const reply = await this.#agent.request(options)
    const answer = await reply.body.json()
    if (reply.statusCode !== 200) throw new Error(`${path} answered ${reply.statusCode}: ${JSON.stringify(answer)}`)
    return answer
  }

  /** Runs an execution of one action to its end. Throws unless it succeeds. */
  execute(serial: string, action: object): Promise<ExecutionRecord> {
    return this.executeAll(serial, [action])
  }

  async executeAll(serial: string, actions: readonly object[]): Promise<ExecutionRecord> {
    this.#count += 1
    const execution = {
      commandId: `step-${this.#count}`,
      taskId: 'bench',
      source: 'bench',
      expectedFormat: 'android-ui-automator',
      timeoutMs: 60_000,
      actions,
    }
    const reply = await this.post('/api/executions', { execution, serial, wait_ms: 60_000 })
    const { execution: done } = reply as { execution: ExecutionRecord }
    if (done.state !== 'succeeded') throw new Error(JSON.stringify(reply))
    return done
  }

  close(): Promise<void> {
    return this.#agent.close()
  }
}
