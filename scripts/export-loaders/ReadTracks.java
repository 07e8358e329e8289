import jalview.datamodel.AlignmentAnnotation;
import jalview.datamodel.AlignmentI;
import jalview.io.AnnotationFile;
import jalview.io.AppletFormatAdapter;
import jalview.io.DataSourceType;
import jalview.io.FileFormat;

/** ReadTracks.java NAME: what Jalview reads of NAME.fasta and NAME.annotations, a line for each graph. */
public class ReadTracks {
  public static void main(String[] arguments) throws Exception {
    String name = arguments[0];
    AlignmentI alignment = new AppletFormatAdapter()
        .readFile(name + ".fasta", DataSourceType.FILE, FileFormat.Fasta);
    new AnnotationFile().readAnnotationFile(alignment, name + ".annotations", DataSourceType.FILE);
    for (AlignmentAnnotation graph : alignment.getAlignmentAnnotation()) {
      int values = 0;
      for (var value : graph.annotations) if (value != null) values++;
      String line = graph.getThreshold() == null ? "" : graph.getThreshold().label;
      String sequence = graph.sequenceRef.getName();
      System.out.println(String.join("\t", sequence, graph.label, String.valueOf(values), line));
    }
    // Jalview leaves threads behind.
    System.exit(0);
  }
}
