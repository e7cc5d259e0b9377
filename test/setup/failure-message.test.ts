import { expect, test } from 'vitest'
import { findCause, formatFailure } from '../../src/setup/failure-message.mjs'

const NOT_COMPILED = 'better-sqlite3 could not be compiled because'

test.each([
  [
    'a missing C compiler',
    'make: cc: No such file or directory\nmake: *** [deps/sqlite3.target.mk:200] Error 127',
    `${NOT_COMPILED} cc is missing`,
    'Install g++ and make',
  ],
  [
    'a missing C++ compiler',
    'npm error gyp ERR! build error\nnpm error make: g++: No such file or directory',
    `${NOT_COMPILED} g++ is missing`,
    'Install g++ and make',
  ],
  [
    'a compiler that the shell does not find',
    '/bin/sh: 1: g++: not found',
    `${NOT_COMPILED} g++ is missing`,
    'Install g++ and make',
  ],
  [
    'a compiler without its C++ part',
    "g++: fatal error: cannot execute 'cc1plus': execvp: No such file or directory",
    `${NOT_COMPILED} g++ is missing`,
    'Install g++ and make',
  ],
  [
    'a missing make',
    'gyp ERR! build error\ngyp ERR! stack Error: not found: make',
    `${NOT_COMPILED} make is missing`,
    'Install g++ and make',
  ],
  [
    'a missing Python',
    'gyp ERR! find Python You need to install the latest version of Python.',
    `${NOT_COMPILED} Python is missing`,
    'Install python3',
  ],
  [
    'headers that cannot be downloaded',
    'gyp ERR! stack Error: This is most likely not a problem with node-gyp or the package itself and',
    `${NOT_COMPILED} the Node headers could not be downloaded from nodejs.org`,
    `Install the headers of Node ${process.version} beside it or allow that download`,
  ],
  [
    'a compiler that ran out of memory',
    'g++: fatal error: Killed signal terminated program cc1plus',
    `${NOT_COMPILED} the compiler was killed, most likely for lack of memory`,
    'Free some memory',
  ],
  [
    'a registry whose name is not found',
    'npm error code ENOTFOUND\nnpm error network request to https://registry.example/is-number failed, reason: getaddrinfo ENOTFOUND registry.example',
    'the package registry https://registry.example cannot be reached',
    'Check the network and the npm settings "registry" and "proxy"',
  ],
  [
    'a registry that refuses connections',
    'npm error code ECONNREFUSED\nnpm error FetchError: request to http://127.0.0.1:9/x.tgz failed',
    'the package registry http://127.0.0.1:9 cannot be reached',
    'Check the network and the npm settings "registry" and "proxy"',
  ],
  [
    'a registry that does not answer',
    'npm ERR! code ETIMEDOUT',
    'the package registry cannot be reached',
    'Check the network and the npm settings "registry" and "proxy"',
  ],
  [
    'an untrusted certificate',
    'npm error code SELF_SIGNED_CERT_IN_CHAIN',
    'the certificate of the package registry is not trusted',
    'Set NODE_EXTRA_CA_CERTS to the certificate of your network',
  ],
  [
    'a registry that wants a login',
    'npm error code E401',
    'the package registry refused a request (E401)',
    'Check the npm setting "registry" and its login',
  ],
  [
    'a folder that cannot be written',
    'npm error code EACCES\nnpm error syscall mkdir\nnpm error path /srv/app/node_modules\n',
    'this user may not write to /srv/app/node_modules',
    'Change the owner of that folder',
  ],
  [
    'a Node that is too old for a package',
    'npm error code EBADENGINE\nnpm error notsup Required: {"node":">=99"}',
    `Node >=99 is needed and this is ${process.version}`,
    'Install that version of Node',
  ],
  [
    'a full disk',
    'npm error code ENOSPC\nnpm error nospc ENOSPC: no space left on device, write',
    'the disk is full',
    'Free some disk space',
  ],
  [
    'a disk that becomes full while compiling',
    'gen/sqlite3/sqlite3.o: No space left on device\nmake: *** Error 1',
    'the disk is full',
    'Free some disk space',
  ],
  [
    'a lock file that does not match',
    'npm error `npm ci` can only install packages when your package.json and package-lock.json or npm-shrinkwrap.json are in sync.',
    'package.json and package-lock.json do not match',
    'Run npm install',
  ],
  [
    'sources that do not build',
    'Error: Build failed with 3 errors:\nsrc/main.ts:1:1: ERROR',
    'the sources contain errors',
    'Correct them',
  ],
])('%s is recognised', (_name, output, problem, remedy) => {
  expect(findCause(output)).toEqual({ problem, remedy })
})

test('a failed download of the prebuilt program does not hide why the compilation failed', () => {
  const output = [
    'npm error code 1',
    'npm error prebuild-install warn install getaddrinfo ENOTFOUND github.com',
    'npm error gyp ERR! stack Error: not found: make',
  ].join('\n')
  expect(findCause(output)?.problem).toBe(`${NOT_COMPILED} make is missing`)
})

test('an unknown output has no known cause', () => {
  expect(findCause('Segmentation fault')).toBeUndefined()
})

test('the message names the problem, what to do, what to run again and the log', () => {
  const cause = { problem: 'make is missing', remedy: 'Install make' }
  expect(formatFailure(cause, { command: 'npm start', logFile: '/tmp/setup.log' })).toBe(
    'Setting up failed: make is missing. Install make, then run npm start again. Details: /tmp/setup.log',
  )
})
