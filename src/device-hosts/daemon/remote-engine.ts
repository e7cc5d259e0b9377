import type { Execution, ResultEnvelope } from '@apprentice/contracts/devices/execution.ts'
import type { EngineHost } from '../../devices/engine/engine-host.ts'
import { runExecution } from '../../devices/engine/execution/run-execution.ts'
import type { DeviceHosts } from './device-hosts.ts'

/**
 * Runs an execution on the host of its device. A host that is away is waited for shortly; without it the execution fails
 * as on a device that is not connected.
 */
export async function runRemotely(
  hosts: DeviceHosts,
  execution: Execution,
  engine: EngineHost,
): Promise<ResultEnvelope> {
  const startedAt = performance.now()
  const found = await hosts.wait(engine.driver.serial, engine.signal)
  engine.signal.throwIfAborted()
  const timeoutMs = Math.max(0, engine.timeoutMs - (performance.now() - startedAt))
  if (found === undefined) return runExecution(execution, { ...engine, timeoutMs })
  return found.connection.execute(found.serial, execution, { ...engine, timeoutMs })
}
