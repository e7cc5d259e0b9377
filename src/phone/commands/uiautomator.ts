import { FileRefusal } from '../host/file-tree.ts'
import { showHierarchy } from '../model/hierarchy.ts'
import { activeWindow } from '../model/window.ts'
import { complain, print, type Call } from '../shell/command.ts'

const DEFAULT_FILE = '/sdcard/window_dump.xml'
const KILLED = 137

/** `uiautomator dump`: waits for a quiet screen, then writes the active window. Failures exit 0. */
export async function uiautomator(call: Call): Promise<number> {
  const [verb, ...args] = call.args
  if (verb !== 'dump') return showHelp(call)
  if (call.device.dumping || call.device.faults.strikes('dumpSecondClient'))
    return refuseSecond(call)
  call.device.dumping = true
  try {
    return await dump(call, args)
  } finally {
    call.device.dumping = false
  }
}

function showHelp(call: Call): number {
  complain(
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
  if (faults.strikes('dumpNeverIdle')) {
    await device.clock.sleep(latency.idleTimeoutMs, signal)
    complain(call, 'ERROR: could not get idle state.\n')
    return 0
  }
  await device.clock.sleep(device.pickDelay(latency.dumpMs), signal)
  if (signal.aborted) return KILLED
  if (faults.strikes('dumpCrash')) return 1
  if (faults.strikes('dumpKilled')) {
    complain(call, 'Killed\n')
    return KILLED
  }
  const window = activeWindow(device)
  if (window === undefined || faults.strikes('dumpNullRoot')) {
    complain(call, 'ERROR: null root node returned by UiTestAutomationBridge.\n')
    return 0
  }
  const path = args.find((arg) => !arg.startsWith('-')) ?? DEFAULT_FILE
  deliver(call, path, showHierarchy(window.root, args.includes('--compressed')))
  print(call, `UI hierchary dumped to: ${path}\n`)
  return 0
}

/** Trouble while writing is only logged on a phone: the closing line comes all the same. */
function deliver(call: Call, path: string, xml: string): void {
  const { faults, files } = call.device
  if (faults.strikes('dumpGarbagePrefix')) {
    print(call, 'WARNING: linker: Warning: unable to normalize "$LIB/libvendor.so"\n')
  }
  const whole = faults.strikes('dumpTruncated') ? xml.slice(0, Math.floor(xml.length * 0.6)) : xml
  if (path === '/dev/tty') {
    if (!faults.strikes('dumpNoTty')) call.tty(Buffer.from(whole))
    return
  }
  if (faults.strikes('dumpStaleFile')) return
  try {
    files.save(path, Buffer.from(whole))
  } catch (error) {
    if (!(error instanceof FileRefusal)) throw error
    const text = `java.io.FileNotFoundException: ${path}: open failed: ${error.message}`
    call.device.log.write({ pid: 0, level: 'E', tag: 'AccessibilityNodeInfoDumper', text })
  }
}

function refuseSecond(call: Call): number {
  complain(
    call,
    'java.lang.IllegalStateException: UiAutomationService ' +
      'android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@5b734d4already registered!\n' +
      '\tat android.app.UiAutomationConnection.registerUiTestAutomationServiceLocked(UiAutomationConnection.java:558)\n' +
      '\tat android.app.UiAutomation.connect(UiAutomation.java:289)\n' +
      '\tat com.android.commands.uiautomator.DumpCommand.run(DumpCommand.java:99)\nKilled\n',
  )
  return KILLED
}
