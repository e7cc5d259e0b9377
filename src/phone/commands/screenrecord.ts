import { print, printError, type Call } from '../shell/command.ts'
import { parseProgramOptions } from './unix/options.ts'

const VALUE_OPTIONS = ['size', 'bit-rate', 'time-limit', 'output-format', 'codec-name', 'display-id']

/** `screenrecord`: the phone has no video encoder and says so, as a device without one. It creates no file. */
export function screenrecord(call: Call): number {
  const { flags, operands } = parseProgramOptions(call.args, VALUE_OPTIONS)
  if (flags.has('help')) {
    print(
      call,
      'Usage: screenrecord [options] <filename>\n\nThe simulated phone has no video encoder: every recording fails.\n',
    )
    return 0
  }
  if (flags.has('version')) {
    print(call, '1.4\n')
    return 0
  }
  const [path] = operands
  if (path === undefined) {
    printError(call, 'Must specify output file (see --help).\n')
    return 2
  }
  const size = flags.get('size')
  if (size !== undefined && !/^[1-9]\d*x[1-9]\d*$/.test(size)) {
    printError(call, `Invalid size '${size}', must be width x height\n`)
    return 2
  }
  const limit = flags.get('time-limit')
  if (limit !== undefined && !(Number(limit) >= 0 && Number(limit) <= 180)) {
    printError(call, `Time limit ${limit}s outside acceptable range [0,180]\n`)
    return 2
  }
  printError(call, 'ERROR: unable to create video/avc codec instance\n')
  return 1
}
