// Turns the output of a failed set-up command into one sentence that says what is missing and what to do.

const NPM_CODE = String.raw`npm (?:error|ERR!) code `
const COMPILERS = String.raw`(cc|gcc|g\+\+|c\+\+|clang|clang\+\+)`
const NOT_COMPILED = 'better-sqlite3 could not be compiled because'

/** Checked in this order: a full disk also makes the compiler fail. */
const CAUSES = [
  {
    pattern: /ENOSPC|No space left on device/,
    problem: () => 'the disk is full',
    remedy: 'Free some disk space',
  },
  {
    pattern: new RegExp(`${NPM_CODE}(?:EACCES|EPERM|EROFS)\\b`),
    problem: (_match, output) => `this user may not write to ${readNpmField(output, 'path')}`,
    remedy: 'Change the owner of that folder',
  },
  {
    pattern: new RegExp(`${NPM_CODE}EBADENGINE`),
    problem: (_match, output) => {
      const required = /Required: +\{"node":"([^"]+)"/.exec(output)?.[1] ?? 'a newer version'
      return `Node ${required} is needed and this is ${process.version}`
    },
    remedy: 'Install that version of Node',
  },
  {
    pattern: /find Python You need to install|Could not find any Python installation/,
    problem: () => `${NOT_COMPILED} Python is missing`,
    remedy: 'Install python3',
  },
  {
    pattern: /not found: make\b|make: (?:command )?not found/,
    problem: () => `${NOT_COMPILED} make is missing`,
    remedy: 'Install g++ and make',
  },
  {
    pattern: /No Xcode or CLT version detected|xcode-select: error/,
    problem: () => `${NOT_COMPILED} the Xcode command line tools are missing`,
    remedy: 'Run xcode-select --install',
  },
  {
    pattern: new RegExp(
      `(?:make(?:\\[\\d+\\])?|sh): (?:\\d+: |line \\d+: )?${COMPILERS}: ` +
        '(?:No such file or directory|(?:command )?not found)',
      'i',
    ),
    problem: ([, compiler]) => `${NOT_COMPILED} ${compiler} is missing`,
    remedy: 'Install g++ and make',
  },
  {
    pattern: /cc1plus'?: (?:execvp: )?No such file/,
    problem: () => `${NOT_COMPILED} g++ is missing`,
    remedy: 'Install g++ and make',
  },
  {
    pattern: /Killed signal terminated program|fatal error: Killed/,
    problem: () => `${NOT_COMPILED} the compiler was killed, most likely for lack of memory`,
    remedy: 'Free some memory',
  },
  {
    pattern: /gyp ERR! stack .*most likely not a problem with node-gyp/,
    problem: () => `${NOT_COMPILED} the Node headers could not be downloaded from nodejs.org`,
    remedy: `Install the headers of Node ${process.version} beside it or allow that download`,
  },
  {
    pattern: new RegExp(
      `${NPM_CODE}(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT)`,
    ),
    problem: (_match, output) => {
      const registry = /request to (https?:\/\/[^/\s]+)/.exec(output)?.[1]
      return `the package registry${registry === undefined ? '' : ` ${registry}`} cannot be reached`
    },
    remedy: 'Check the network and the npm settings "registry" and "proxy"',
  },
  {
    pattern: new RegExp(`${NPM_CODE}\\w*(?:CERT|SIGNATURE)\\w*`),
    problem: () => 'the certificate of the package registry is not trusted',
    remedy: 'Set NODE_EXTRA_CA_CERTS to the certificate of your network',
  },
  {
    pattern: new RegExp(`${NPM_CODE}(E40[134])`),
    problem: ([, code]) => `the package registry refused a request (${code})`,
    remedy: 'Check the npm setting "registry" and its login',
  },
  {
    pattern: /package\.json and package-lock\.json .*in sync/,
    problem: () => 'package.json and package-lock.json do not match',
    remedy: 'Run npm install',
  },
  {
    pattern: /Build failed with \d+ errors?/,
    problem: () => 'the sources contain errors',
    remedy: 'Correct them',
  },
]

/**
 * The known reason why a command failed, or undefined.
 *
 * @param {string} output everything the command printed
 * @returns {{ problem: string, remedy: string } | undefined}
 */
export function findCause(output) {
  for (const { pattern, problem, remedy } of CAUSES) {
    const match = pattern.exec(output)
    if (match !== null) return { problem: problem(match, output), remedy }
  }
  return undefined
}

/**
 * @param {{ problem: string, remedy: string }} cause
 * @param {{ command: string, logFile?: string | undefined }} context the command to run again, and the full output
 */
export function formatFailure({ problem, remedy }, { command, logFile }) {
  const details = logFile === undefined ? '' : ` Details: ${logFile}`
  return `Setting up failed: ${problem}. ${remedy}, then run ${command} again.${details}`
}

function readNpmField(output, name) {
  return new RegExp(`npm (?:error|ERR!) ${name} (.+)`).exec(output)?.[1]?.trim() ?? 'this folder'
}
