import { FileError } from '../host/file-tree.ts'
import { readRotation } from '../model/device.ts'
import { isVisible, type View } from '../model/view.ts'
import { formatHierarchy } from '../windows/hierarchy.ts'
import { activeWindow } from '../windows/window.ts'
import { printError, print, type Call } from '../shell/command.ts'

const DEFAULT_FILE = '/sdcard/window_dump.xml'
const KILLED_CODE = 137

/** `uiautomator dump`: waits for an idle screen, then writes the active window. Most failures exit 0. */
export async function uiautomator(call: Call): Promise<number> {
  const [verb, ...args] = call.args
  if (verb !== 'dump') return printUsage(call)
  if (isHeld(call) || call.device.faults.consume('dumpSecondClient')) return reportSecondClient(call)
  call.device.dumping = true
  try {
    return await dump(call, args)
  } finally {
    call.device.dumping = false
  }
}

/** Android allows one client of the accessibility at a time. */
function isHeld({ device }: Call): boolean {
  return device.dumping || [...device.instrumentations.values()].some(({ holdsScreen }) => holdsScreen)
}

function printUsage(call: Call): number {
  printError(
    call,
    'Usage: uiautomator <subcommand> [options]\n\nAvailable subcommands:\n\n' +
      'help: displays help message\n\n' +
      'dump: creates an XML dump of current UI hierarchy\n' +
      '    dump [--verbose][file]\n' +
      '      [--compressed]: dumps compressed layout information.\n' +
      '      [file]: the location where the dumped XML should be stored, default is\n' +
      `      ${DEFAULT_FILE}\n`,
  )
  return call.args[0] === 'help' ? 0 : 1
}

async function dump(call: Call, args: readonly string[]): Promise<number> {
  const { device, signal } = call
  const { faults, latency } = device
  if (faults.consume('dumpNeverIdle')) return reportNeverIdle(call)
  await device.clock.sleep(device.pickDelay(latency.dumpMs), signal)
  if (signal.aborted) return KILLED_CODE
  if (faults.consume('dumpCrash')) return 1
  if (faults.consume('dumpKilled')) {
    printError(call, 'Killed\n')
    return KILLED_CODE
  }
  const window = activeWindow(device)
  if (window === undefined || faults.consume('dumpNullRoot')) {
    printError(call, 'ERROR: null root node returned by UiTestAutomationBridge.\n')
    return 0
  }
  if (isAnimated(window.root)) return reportNeverIdle(call)
  const path = args.find((arg) => !arg.startsWith('-')) ?? DEFAULT_FILE
  const { toolkit } = window.app.document
  const rotation = readRotation(device)
  const options = { compressed: args.includes('--compressed'), hints: device.dumpHints, toolkit, rotation }
  writeDump(call, path, formatHierarchy(window.root, options))
  print(call, `UI hierchary dumped to: ${path}\n`)
  return 0
}

async function reportNeverIdle(call: Call): Promise<number> {
  await call.device.clock.sleep(call.device.latency.idleTimeoutMs, call.signal)
  printError(call, 'ERROR: could not get idle state.\n')
  return 0
}

function isAnimated(view: View | undefined): boolean {
  if (view === undefined || !isVisible(view.visibleBounds)) return false
  return view.animated || view.children.some(isAnimated)
}

/** Writes the dump. As on Android, a write error is only logged. */
function writeDump(call: Call, path: string, xml: string): void {
  const { faults, files } = call.device
  if (faults.consume('dumpGarbagePrefix')) {
    print(call, 'WARNING: linker: Warning: unable to normalize "$LIB/libvendor.so"\n')
  }
  const content = faults.consume('dumpTruncated') ? xml.slice(0, Math.floor(xml.length * 0.6)) : xml
  if (path === '/dev/tty') {
    if (!faults.consume('dumpNoTty')) call.tty(Buffer.from(content))
    return
  }
  if (faults.consume('dumpStaleFile')) return
  try {
    files.save(path, Buffer.from(content))
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    const text = `java.io.FileNotFoundException: ${path}: open failed: ${error.message}`
    call.device.log.write({ pid: 0, level: 'E', tag: 'AccessibilityNodeInfoDumper', text })
  }
}

function reportSecondClient(call: Call): number {
  printError(
    call,
    'java.lang.IllegalStateException: UiAutomationService ' +
      'android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@5b734d4already registered!\n' +
      '\tat android.app.UiAutomationConnection.registerUiTestAutomationServiceLocked(UiAutomationConnection.java:558)\n' +
      '\tat android.app.UiAutomation.connect(UiAutomation.java:289)\n' +
      '\tat com.android.commands.uiautomator.DumpCommand.run(DumpCommand.java:99)\nKilled\n',
  )
  return KILLED_CODE
}
