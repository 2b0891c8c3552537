/** Words of the report: what each part counts, and what has no counterpart in XLA's profiles. Quantities are defined in docs/NUMBERS.md. */
import { definitionOf } from '../app/numbers_text';
import { Pop } from '../memory/pop';

const QUANTITIES = ['reserved', 'fragmentation', 'holes', 'always there', 'temporaries'];
const WORDS: [term: string, meaning: string][] = [
  ['own and shared space', 'addresses that one buffer has all program long, or that several have in turn; reuse is how many bytes take turns on one'],
  ['conflict', 'two buffers held at the same step: they can never have the same bytes. What is always there conflicts with all. XLA knows no conflict by memory element or region; the nearest is one memory space and alignment'],
  ['rulers', 'rows of the address map are powers of two; memory elements and banks are not in XLA\u2019s profiles'],
  ['kinds with 0 bytes', 'an instruction without bytes of its own points into another\u2019s (bitcast, get-tuple-element) or lives inside of a fusion; a group can hold bytes of instructions that are counted elsewhere where storage is shared'],
  ['stack', 'what the runtime had reserved for the running program when a device held most, as its allocator events say. A moment of the run, not a step: the row Measured is there where the profile has such events, and is in no other sum'],
  ['device', 'all devices of one program have equal numbers from the compiler; what differs is measured: Module map, devices'],
];
const NONE: [what: string, why: string][] = [
  ['state of operations (vertices)', 'XLA keeps none in device memory; the nearest are scratch of custom calls and scoped VMEM'],
  ['cost of instrumentation', 'not in XLA\u2019s profiles; buffers of callbacks and debug prints are under host transfers'],
  ['control, vertex and exchange code', 'XLA tells the size of generated code for single instructions of some programs: where it does, the row Program code has their sum'],
  ['placement by bank', 'not in the protos: memory spaces are the finest'],
];

export function HelpBox() {
  return (
    <Pop label="?" title="what the words of the report mean" boxClass="r-help">
      {() => (
        <div tabIndex={-1} role="note">
          <h3>Words of the report</h3>
          <dl>
            {[...QUANTITIES.map((name): [string, string] => [name, definitionOf(name)]), ...WORDS].map(([term, meaning]) => [<dt key={term}>{term}</dt>, <dd key={`${term}.`}>{meaning}</dd>])}
          </dl>
          <h3>Not in XLA's profiles</h3>
          <dl>
            {NONE.map(([what, why]) => [<dt key={what}>{what}</dt>, <dd key={`${what}.`}>{why}</dd>])}
          </dl>
          <p class="soft">Names of instructions say what they are when the pointer rests on them.</p>
        </div>
      )}
    </Pop>
  );
}
