import { HELPER_INSTRUMENTATIONS } from '../automation/known-instrumentations.ts'
import type { Instrumentation, ResultBundle } from '../automation/instrumentation.ts'
import type { Device, RunningInstrumentation } from '../model/device.ts'
import { print, printError, type Call } from '../shell/command.ts'

interface Request {
  readonly component: string
  readonly waits: boolean
  readonly values: ReadonlyMap<string, string>
}

/** `am instrument`: starts the instrumentation of an installed APK, and with `-w` prints what it reports. */
export async function instrument(call: Call, args: readonly string[]): Promise<number> {
  const request = parseRequest(args)
  const [packageName = '', name = ''] = request.component.split('/')
  const className = name.startsWith('.') ? `${packageName}${name}` : name
  const declared = call.device.apps.get(packageName)?.apk?.instrumentations.includes(className) === true
  if (!declared) return reportUnknown(call, request.component)
  const finished = runProcess(call, packageName, { request, run: HELPER_INSTRUMENTATIONS[className] })
  return request.waits ? finished : 0
}

function parseRequest(args: readonly string[]): Request {
  const values = new Map<string, string>()
  let component = ''
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ''
    if (arg === '-e') values.set(args[(at += 1)] ?? '', args[(at += 1)] ?? '')
    else if (arg === '--user' || arg === '--abi') at += 1
    else if (!arg.startsWith('-')) component = arg
  }
  return { component, waits: args.includes('-w'), values }
}

function reportUnknown(call: Call, component: string): number {
  const info = `ComponentInfo{${component}}`
  print(
    call,
    `INSTRUMENTATION_STATUS: Error=Unable to find instrumentation info for: ${info}\nINSTRUMENTATION_STATUS_CODE: -1\n`,
  )
  printError(call, `android.util.AndroidException: INSTRUMENTATION_FAILED: ${component}\n`)
  return 1
}

interface Start {
  readonly request: Request
  /** Undefined: the class is not simulated, and its process crashes. */
  readonly run: Instrumentation | undefined
}

/** Runs the process of a package. Another one of the same package is ended first. */
async function runProcess(call: Call, packageName: string, { request, run }: Start): Promise<number> {
  const { device } = call
  device.instrumentations.get(packageName)?.kill()
  const controller = new AbortController()
  const own: RunningInstrumentation = { holdsScreen: false, kill: () => controller.abort() }
  device.instrumentations.set(packageName, own)
  // The connection to the accessibility belongs to the `am` process, which ends with its stream.
  const signal = request.waits ? AbortSignal.any([controller.signal, call.signal]) : controller.signal
  const report = request.waits ? (code: number, bundle: ResultBundle) => printStatus(call, code, bundle) : () => {}
  try {
    await device.clock.sleep(device.latency.instrumentMs ?? 0, signal)
    const process = { device, values: request.values, signal, own, report }
    const end = run === undefined || signal.aborted ? undefined : await run(process)
    if (request.waits) printEnd(call, signal.aborted ? undefined : end)
    return 0
  } finally {
    if (isCurrent(device, packageName, own)) device.instrumentations.delete(packageName)
  }
}

function isCurrent(device: Device, packageName: string, own: RunningInstrumentation): boolean {
  return device.instrumentations.get(packageName) === own
}

function printStatus(call: Call, code: number, bundle: ResultBundle): void {
  print(call, `${formatBundle('STATUS', bundle)}INSTRUMENTATION_STATUS_CODE: ${code}\n`)
}

function printEnd(call: Call, end: { readonly code: number; readonly result: ResultBundle } | undefined): void {
  const { code, result } = end ?? { code: 0, result: { shortMsg: 'Process crashed.' } }
  print(call, `${formatBundle('RESULT', result)}INSTRUMENTATION_CODE: ${code}\n`)
}

function formatBundle(kind: 'STATUS' | 'RESULT', bundle: ResultBundle): string {
  const keys = Object.keys(bundle).toSorted()
  return keys.map((key) => `INSTRUMENTATION_${kind}: ${key}=${String(bundle[key])}\n`).join('')
}
