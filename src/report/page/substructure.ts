/**
 * RDKit for the page, for substructure search in its molecules. Only on request: it adds 3.5 MB, and the page's policy
 * has to allow WebAssembly ('wasm-unsafe-eval').
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { inline } from './inline.ts';
import { RDKIT_LICENCE } from './rdkit-licence.ts';

export interface SubstructureProgram {
  /** Sets `initRDKitModule`. Does not evaluate text as code, which the page's policy forbids. */
  readonly script: string;
  readonly wasm: Uint8Array;
  readonly licence: string;
}

export async function substructureProgram(): Promise<SubstructureProgram> {
  const entry = import.meta.resolve('@rdkit/rdkit');
  const read = (path: string): Promise<Buffer> => readFile(fileURLToPath(new URL(path, entry)));
  const [script, wasm] = await Promise.all([read('RDKit_minimal.js'), read('RDKit_minimal.wasm')]);
  return {
    script: inline(withoutEval(script.toString())),
    wasm,
    licence: RDKIT_LICENCE,
  };
}

/** Emscripten's glue code generates a function as text for each binding; these replacements do not. */
const REPLACED: readonly (readonly [from: string, to: string])[] = [
  [
    'return new Function(args1,invokerFnBody)',
    `return function(humanName,throwBindingError,invoker,fn,runDestructors,fromRetWire,toClassParamWire,...rest){
var stack=useStackFrame?2:0,toWire=rest.slice(stack,stack+argCount),dtors=rest.slice(stack+argCount);
return function(...given){var sp=useStackFrame?stackSave():0,destructors=needsDestructorStack?[]:null,wired=[fn],rv;
try{if(isClassMethodFunc)wired.push(toClassParamWire(destructors,this));
for(var i=0;i<argCount;++i)wired.push(toWire[i](destructors,given[i]));rv=invoker(...wired)}
finally{if(useStackFrame)stackRestore(sp)}
if(needsDestructorStack)runDestructors(destructors);
else for(var d=0,i=isClassMethodFunc?1:2;i<argTypes.length;++i)if(argTypes[i].destructorFunction!==null)dtors[d++](wired[isClassMethodFunc?i:i-1]);
if(returns)return fromRetWire(rv)}}`,
  ],
  [
    'new Function(Object.keys(captures),functionBody)(...Object.values(captures))',
    `function(handle,methodName,destructorsRef,args){
var values=argFromPtr.map((read,i)=>read(args+i*GenericWireTypeSize)),result;
if(kind===3)result=values.at(-1);
else{var target=Emval.toValue(handle);
result=kind===2?new target(...values):kind===1?target[getStringOrSymbol(methodName)](...values):target(...values)}
if(!retType.isVoid)return emval_returnValue(toReturnWire,destructorsRef,result)}`,
  ],
];

/** @throws Error if the glue code of another RDKit version differs */
function withoutEval(script: string): string {
  let text = script;
  for (const [from, to] of REPLACED) {
    if (!text.includes(from))
      throw new Error(`RDKit's script has no ${from}: update substructure.ts`);
    text = text.replace(from, () => to);
  }
  if (text.includes('new Function')) throw new Error("RDKit's script makes code of texts");
  return text;
}
